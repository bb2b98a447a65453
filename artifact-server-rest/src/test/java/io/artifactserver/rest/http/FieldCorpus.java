package io.artifactserver.rest.http;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Fields as real clients send them, and the words of their grammars. */
final class FieldCorpus {
  private static final String TAG = FieldProperties.TAG.toString();
  private static final String BASE64_DIGEST = DigestFields.reprDigest(FieldProperties.ALL_DIGESTS);

  static final List<String> RANGES =
      Stream.concat(
              RequestLine.all().stream()
                  .flatMap(line -> line.fields().stream())
                  .filter(field -> field.startsWith("Range: "))
                  .map(field -> field.substring("Range: ".length())),
              Stream.of(
                  "bytes=0-3",
                  "bytes=1048576-",
                  "bytes=-500",
                  zchunk(167),
                  zchunk(20),
                  "bytes=9223372036854775806-9223372036854775807",
                  "bytes=-9223372036854775808"))
          .toList();
  static final List<String> RANGE_WORDS =
      List.of(
          "bytes=",
          "Bytes=",
          "bytes",
          "0-0",
          "0-",
          "-1",
          "-0",
          ",",
          " , ",
          "\t",
          "-",
          "=",
          "9999-9999",
          "9223372036854775807",
          "9223372036854775808",
          "18446744073709551616",
          "00000000000000000000000",
          "4294967295-4294967296",
          "10000-",
          "items=",
          "--");

  static final List<String> DATES =
      List.of(
          "Sun, 06 Nov 1994 08:49:37 GMT",
          "Sunday, 06-Nov-94 08:49:37 GMT",
          "Sun Nov  6 08:49:37 1994",
          "Sat, 28 Feb 2026 23:59:59 GMT",
          "Sat, 31 Dec 2016 23:59:60 GMT",
          "Thu, 01 Jan 1970 00:00:00 GMT",
          "Fri, 29 Feb 2024 00:00:00 GMT");
  static final List<String> DATE_WORDS =
      List.of(
          "Sun",
          "Mon, ",
          "Sunday, ",
          "Feb",
          "Nov",
          " 29 ",
          " 31 ",
          "00",
          "60",
          "23:59:60",
          "GMT",
          "0000",
          "9999",
          " ",
          "  ",
          "-76 ",
          "-Feb-00 ",
          ":");

  static final List<String> ENTITY_TAGS =
      List.of(
          TAG,
          "W/" + TAG,
          "*",
          "\"\"",
          "\"a\", " + TAG,
          "W/\"a\" , W/" + TAG + ",\"b\"",
          ", ," + TAG + ",",
          "\"with, comma\", \"x\"",
          "no-tag, " + TAG,
          TAG.replace("\"", ""));
  static final List<String> ENTITY_TAG_WORDS =
      List.of(TAG, "W/", "w/", "\"", "\"\"", ",", " ", "\t", "*", "W/\"", "\",\"", "x", "\"x\"");

  static final List<String> DIGESTS =
      List.of(
          BASE64_DIGEST,
          DigestFields.reprDigest(FieldProperties.ALL_DIGESTS, "md5=1, sha=2, sha-512=3"),
          "sha-512=10, sha-256=3, md5=0",
          "SHA-512;q=1, SHA-256;q=0.9, SHA;q=0.1, MD5;q=0",
          "unixsum=:AAAA:, " + BASE64_DIGEST,
          "id-sha-256=:AAAA:;a=b");
  static final List<String> DIGEST_WORDS =
      List.of(
          "sha-256",
          "sha-512",
          "sha",
          "md5",
          "=",
          "=:",
          ":",
          ";q=",
          ";q=NaN",
          "=1e999",
          "=-0",
          "=0x1p3",
          ",",
          " ",
          ";",
          "Infinity",
          "==",
          "AAAA",
          "\u0130");

  static final List<String> PATHS =
      List.of(
          "board/fw-1.0.img",
          "a%20b/c%25d",
          "%E2%82%AC/%F0%9F%98%80.bin",
          "..%2Fup",
          "%00",
          "%C0%AF",
          "%ED%A0%80",
          "a;b=c,d:e@f!g$h'(i)*",
          "%%%",
          "%4",
          "%\uff11\uff12");
  static final List<String> PATH_WORDS =
      List.of(
          "%",
          "%2",
          "%2F",
          "%2f",
          "%25",
          "%E2%82%AC",
          "%C3",
          "%80",
          "%F4%90%80%80",
          "/",
          "//",
          "..",
          ".",
          "\\",
          "%5C",
          "%7F",
          "\u00e9",
          "\uff11",
          "%\uff11",
          "?",
          "#");

  static final List<String> REQUESTS =
      Stream.concat(
              RequestLine.all().stream().map(line -> String.join("\n", line.fields())),
              Stream.of(
                  "Range: " + zchunk(167) + "\nIf-Range: " + TAG,
                  "Range: bytes=5-\nIf-Range: Sat, 28 Feb 2026 23:59:59 GMT",
                  "Range: bytes=0-3\nIf-Match: " + TAG,
                  "If-None-Match: W/" + TAG + "\nIf-Modified-Since: Sun Nov  6 08:49:37 1994",
                  "If-Unmodified-Since: Sunday, 06-Nov-94 08:49:37 GMT\nRange: bytes=-1"))
          .map(request ->
              request
                  .replace("<etag>", TAG)
                  .replaceAll("<date[-+1]*>", "Sat, 28 Feb 2026 23:59:59 GMT"))
          .toList();
  static final List<String> REQUEST_WORDS =
      Stream.of(
              List.of(
                  "\n",
                  "Range: ",
                  "If-Range: ",
                  "If-Match: ",
                  "If-None-Match: ",
                  "If-Modified-Since: ",
                  "If-Unmodified-Since: "),
              RANGE_WORDS,
              ENTITY_TAG_WORDS,
              DATES)
          .flatMap(List::stream)
          .toList();

  private FieldCorpus() {}

  /** As zchunk asks: many chunks, in order, none touching. */
  private static String zchunk(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> 50 * i + "-" + (50 * i + 17))
        .reduce((first, second) -> first + "," + second)
        .map(set -> "bytes=" + set)
        .orElseThrow();
  }
}
