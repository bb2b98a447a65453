package io.artifactserver.rest.http;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A row of the table of RFC 9110 rules: what is sent to a representation of {@value #LENGTH} bytes,
 * and what comes back. The same rows are run against the pure planner and over a socket.
 *
 * @param section of RFC 9110
 * @param method to send
 * @param fields one {@code Name: value} a line; {@code <etag>} and the date placeholders stand for
 *     the representation's validators
 * @param expected {@code 200}, {@code 206 first-last}, {@code 206 first-last,first-last}, {@code
 *     304}, {@code 412} or {@code 416}
 */
public record RequestLine(String section, String method, List<String> fields, String expected) {
  /** Length of the representation that the rows are about, in bytes. */
  public static final int LENGTH = 10_000;

  @Override
  public String toString() {
    return "section " + section + ": " + method + ' ' + fields + " -> " + expected;
  }

  /** The fields with the validators of a representation filled in. */
  public List<String> fieldsFor(EntityTag entityTag, Instant lastModified) {
    Map<String, String> placeholders =
        Map.of(
            "<etag>", entityTag.toString(),
            "<date>", HttpDate.format(lastModified),
            "<date-1>", HttpDate.format(lastModified.minusSeconds(1)),
            "<date+1>", HttpDate.format(lastModified.plusSeconds(1)));
    List<String> filled = new ArrayList<>();
    for (String field : fields) {
      String value = field;
      for (Map.Entry<String, String> placeholder : placeholders.entrySet()) {
        value = value.replace(placeholder.getKey(), placeholder.getValue());
      }
      filled.add(value);
    }
    return filled;
  }

  private static RequestLine get(String section, String expected, String... fields) {
    return new RequestLine(section, "GET", List.of(fields), expected);
  }

  private static RequestLine head(String section, String expected, String... fields) {
    return new RequestLine(section, "HEAD", List.of(fields), expected);
  }

  private static RequestLine range(String value, String expected) {
    return get("14.2", expected, "Range: " + value);
  }

  /** Every row. */
  public static List<RequestLine> all() {
    String huge = "9".repeat(40);
    return List.of(
        get("9.3.1", "200"),
        head("9.3.2", "200"),
        // 14.1.2, 14.2: what a byte range is
        range("bytes=0-0", "206 0-0"),
        range("bytes=0-3", "206 0-3"),
        range("bytes=9999-9999", "206 9999-9999"),
        range("bytes=500-", "206 500-9999"),
        range("bytes=9999-", "206 9999-9999"),
        range("bytes=0-", "206 0-9999"),
        range("bytes=-1", "206 9999-9999"),
        range("bytes=-10000", "206 0-9999"),
        range("bytes=-20000", "206 0-9999"),
        range("bytes=9990-20000", "206 9990-9999"),
        range("bytes=0-" + huge, "206 0-9999"),
        range("bytes=-" + huge, "206 0-9999"),
        range("bytes=00000000000000000000000000005-0000000000000000000000000000000007", "206 5-7"),
        range("Bytes=0-3", "206 0-3"),
        range("BYTES=0-3", "206 0-3"),
        // 5.6.1.2: a recipient takes empty list elements and white space around commas
        range("bytes=0-3,", "206 0-3"),
        range("bytes=,0-3", "206 0-3"),
        range("bytes=, ,0-3 ,,", "206 0-3"),
        range("bytes=0-3 , 10-13", "206 0-3,10-13"),
        range("bytes=0-3\t,\t10-13", "206 0-3,10-13"),
        range("bytes= 0-3", "206 0-3"),
        // 14.2: unknown units are ignored
        range("lines=0-3", "200"),
        range("none", "200"),
        range("seconds=1.5-2", "200"),
        range("bytes-=0-3", "200"),
        // 15.5.17: no byte of the range exists
        range("bytes=10000-", "416"),
        range("bytes=10000-10001", "416"),
        range("bytes=-0", "416"),
        range("bytes=" + huge + "-", "416"),
        range("bytes=" + huge + "-" + huge + "9", "416"),
        range("bytes=20000-20001,30000-", "416"),
        // 14.2: a malformed range set is rejected, not answered with 800 MB
        range("bytes=", "416"),
        range("bytes=,", "416"),
        range("bytes", "416"),
        range("bytes=a-b", "416"),
        range("bytes=0", "416"),
        range("bytes=3-2", "416"),
        range("bytes=0-3,5-4", "416"),
        range("bytes=" + huge + "9-" + huge, "416"),
        range("bytes=--3", "416"),
        range("bytes=0--3", "416"),
        range("bytes=0-3-5", "416"),
        range("bytes=-", "416"),
        range("bytes=0 - 3", "416"),
        range("bytes=0- 3", "416"),
        range("bytes=+1-3", "416"),
        range("bytes=0x0-0x3", "416"),
        range("bytes=1.0-3", "416"),
        range("bytes=0-3;5-7", "416"),
        range("bytes=0-3 5-7", "416"),
        range("bytes=0-3,x", "416"),
        range("bytes=*-3", "416"),
        range("bytes=\u0661-\u0663", "416"),
        // 15.3.7.2: several ranges, in request order, nothing merged
        range("bytes=0-0,9999-9999", "206 0-0,9999-9999"),
        range("bytes=0-0,-1", "206 0-0,9999-9999"),
        range("bytes=500-599,0-99", "206 500-599,0-99"),
        range("bytes=0-99,100-199", "206 0-99,100-199"),
        range("bytes=0-99,50-149", "206 0-99,50-149"),
        range("bytes=0-0,0-0", "206 0-0,0-0"),
        range("bytes=0-9999,0-9999", "206 0-9999,0-9999"),
        // one satisfiable range among others is dropped or stands alone
        range("bytes=0-3,20000-", "206 0-3"),
        range("bytes=20000-,0-3", "206 0-3"),
        range("bytes=-0,0-3", "206 0-3"),
        range("bytes=0-3,20000-,5-7", "206 0-3,5-7"),
        // 14.2: more than twice the representation is ignored
        range("bytes=0-,0-,0-", "200"),
        range("bytes=0-" + ",0-".repeat(500), "200"),
        range("bytes=0-9999,0-9999,0-0", "200"),
        // 14.2: Range is defined for GET only
        head("14.2", "200", "Range: bytes=0-3"),
        head("14.2", "200", "Range: bytes=20000-"),
        head("14.2", "200", "Range: bytes=0-3,5-7"),
        // 13.1.1 If-Match
        get("13.1.1", "200", "If-Match: <etag>"),
        get("13.1.1", "200", "If-Match: *"),
        get("13.1.1", "200", "If-Match: \"other\", <etag>"),
        get("13.1.1", "200", "If-Match: \"a,b\",<etag>"),
        get("13.1.1", "412", "If-Match: \"other\""),
        get("13.1.1", "412", "If-Match: W/<etag>"),
        get("13.1.1", "412", "If-Match: \"other\", W/<etag>"),
        get("13.1.1", "412", "If-Match: other"),
        get("13.1.1", "412", "If-Match: \"glued\"<etag>"),
        head("13.1.1", "412", "If-Match: \"other\""),
        get("13.1.1", "206 0-3", "If-Match: <etag>", "Range: bytes=0-3"),
        get("13.1.1", "412", "If-Match: \"other\"", "Range: bytes=0-3"),
        get("13.1.1", "412", "If-Match: \"other\"", "Range: bytes=20000-"),
        // 13.1.2 If-None-Match
        get("13.1.2", "304", "If-None-Match: <etag>"),
        get("13.1.2", "304", "If-None-Match: W/<etag>"),
        get("13.1.2", "304", "If-None-Match: *"),
        get("13.1.2", "304", "If-None-Match: \"other\", <etag>"),
        get("13.1.2", "304", "If-None-Match: \"other\" , W/<etag>"),
        get("13.1.2", "304", "If-None-Match: ,, <etag> ,"),
        get("13.1.2", "200", "If-None-Match: \"other\""),
        get("13.1.2", "200", "If-None-Match: other"),
        get("13.1.2", "200", "If-None-Match: \"unclosed"),
        get("13.1.2", "200", "If-None-Match: w/<etag>"),
        get("13.1.2", "200", "If-None-Match: \"glued\"<etag>"),
        get("13.1.2", "304", "If-None-Match: \"glued\"x, <etag>"),
        head("13.1.2", "304", "If-None-Match: <etag>"),
        // If-None-Match wins over Range
        get("13.2.2", "304", "If-None-Match: <etag>", "Range: bytes=0-3"),
        get("13.2.2", "304", "If-None-Match: <etag>", "Range: bytes=20000-"),
        get("13.2.2", "206 0-3", "If-None-Match: \"other\"", "Range: bytes=0-3"),
        // 13.1.3 If-Modified-Since
        get("13.1.3", "304", "If-Modified-Since: <date>"),
        get("13.1.3", "304", "If-Modified-Since: <date+1>"),
        get("13.1.3", "200", "If-Modified-Since: <date-1>"),
        get("13.1.3", "200", "If-Modified-Since: yesterday"),
        get("13.1.3", "200", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"),
        get("13.1.3", "200", "If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT"),
        get("13.1.3", "200", "If-Modified-Since: Sun Nov  6 08:49:37 1994"),
        head("13.1.3", "304", "If-Modified-Since: <date>"),
        get("13.1.3", "304", "If-Modified-Since: <date>", "Range: bytes=0-3"),
        // 13.2.2: If-None-Match makes If-Modified-Since ignored
        get("13.2.2", "200", "If-None-Match: \"other\"", "If-Modified-Since: <date>"),
        get("13.2.2", "304", "If-None-Match: <etag>", "If-Modified-Since: <date-1>"),
        // 13.1.4 If-Unmodified-Since
        get("13.1.4", "200", "If-Unmodified-Since: <date>"),
        get("13.1.4", "200", "If-Unmodified-Since: <date+1>"),
        get("13.1.4", "412", "If-Unmodified-Since: <date-1>"),
        get("13.1.4", "412", "If-Unmodified-Since: Sunday, 06-Nov-94 08:49:37 GMT"),
        get("13.1.4", "412", "If-Unmodified-Since: Sun Nov  6 08:49:37 1994"),
        get("13.1.4", "200", "If-Unmodified-Since: soon"),
        get("13.1.4", "206 0-3", "If-Unmodified-Since: <date>", "Range: bytes=0-3"),
        // 13.2.2: If-Match makes If-Unmodified-Since ignored
        get("13.2.2", "200", "If-Match: <etag>", "If-Unmodified-Since: <date-1>"),
        get("13.2.2", "412", "If-Match: \"other\"", "If-Unmodified-Since: <date>"),
        // 13.2.2: step 2 before step 3
        get("13.2.2", "412", "If-Match: \"other\"", "If-None-Match: <etag>"),
        get("13.2.2", "304", "If-Match: <etag>", "If-None-Match: <etag>"),
        get("13.2.2", "412", "If-Unmodified-Since: <date-1>", "If-None-Match: <etag>"),
        // 13.1.5 If-Range
        get("13.1.5", "206 0-3", "If-Range: <etag>", "Range: bytes=0-3"),
        get("13.1.5", "206 0-3,5-7", "If-Range: <etag>", "Range: bytes=0-3,5-7"),
        get("13.1.5", "200", "If-Range: \"other\"", "Range: bytes=0-3"),
        get("13.1.5", "200", "If-Range: \"other\"", "Range: bytes=20000-"),
        get("13.1.5", "416", "If-Range: <etag>", "Range: bytes=20000-"),
        get("13.1.5", "200", "If-Range: W/<etag>", "Range: bytes=0-3"),
        get("13.1.5", "200", "If-Range: \"other\", <etag>", "Range: bytes=0-3"),
        get("13.1.5", "200", "If-Range: *", "Range: bytes=0-3"),
        get("13.1.5", "206 0-3", "If-Range: <date>", "Range: bytes=0-3"),
        get("13.1.5", "200", "If-Range: <date-1>", "Range: bytes=0-3"),
        get("13.1.5", "200", "If-Range: <date+1>", "Range: bytes=0-3"),
        get("13.1.5", "200", "If-Range: tomorrow", "Range: bytes=0-3"),
        get("13.1.5", "200", "If-Range: \"", "Range: bytes=0-3"),
        get("13.1.5", "200", "If-Range: <etag>"),
        head("13.1.5", "200", "If-Range: <etag>", "Range: bytes=0-3"),
        get("13.2.2", "304", "If-None-Match: <etag>", "If-Range: <etag>", "Range: bytes=0-3"));
  }
}
