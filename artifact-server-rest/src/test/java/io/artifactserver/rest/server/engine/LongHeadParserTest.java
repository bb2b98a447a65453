package io.artifactserver.rest.server.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.eclipse.jetty.http.ComplianceViolation;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LongHeadParserTest {
  private static final int MAX_LENGTH = 16 * 1024;

  /** Jetty reads this much at a time. */
  private static final int BUFFER_LENGTH = 8 * 1024;

  private static final int CASES = 1_500;

  /** What is wrong with one of the heads, if anything is. */
  private static final List<String> DEFECTS =
      List.of(
          "",
          "",
          "",
          "",
          "X-\u0001: a",
          "X-A: a\u0001b",
          "X-A: a\rb",
          " folded",
          "no colon",
          "space : a",
          "Host: other",
          "Content-Length: 3",
          "Transfer-Encoding: chunked",
          "Transfer-Encoding: gzip",
          "Content-Length: x",
          ": no name",
          "X-\u007f: a");

  /** However the bytes come. */
  @Test
  void tellsWhatJettyTells() {
    int refused = 0;
    int answered = 0;
    for (int seed = 0; seed < CASES; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      byte[] bytes = requests(random);
      List<ByteBuffer> pieces = pieces(bytes, random);
      List<String> expected = told(LongHeadParserTest::plain, pieces);
      assertThat(told(LongHeadParserTest::parser, pieces))
          .as("seed %d: %d bytes in %d pieces", seed, bytes.length, pieces.size())
          .isEqualTo(expected);
      if (expected.stream().anyMatch(event -> event.startsWith("bad "))) {
        refused++;
      } else {
        answered++;
      }
    }
    assertThat(refused).isGreaterThan(CASES / 10);
    assertThat(answered).isGreaterThan(CASES / 10);
  }

  @Test
  void anEndIsSeenWhereverItIsCut() {
    String head = "GET /x HTTP/1.1\r\nHost: a\r\nX-Long: %s\r\n\r\n".formatted("x".repeat(9_000));
    for (String text : List.of(head, head.replace("\r", ""), head.replace("\r\n\r", "\n\r"))) {
      byte[] bytes =
          (text + "GET /y HTTP/1.1\r\nHost: b\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
      List<String> expected = told(LongHeadParserTest::plain, List.of(ByteBuffer.wrap(bytes)));
      int end = text.length();
      for (int first = end - 6; first <= end + 1; first++) {
        for (int second = first; second <= end + 1; second++) {
          List<ByteBuffer> pieces =
              List.of(
                  slice(bytes, 0, first),
                  slice(bytes, first, second),
                  slice(bytes, second, bytes.length));
          assertThat(told(LongHeadParserTest::parser, pieces))
              .as("%d and %d of %d", first, second, end)
              .isEqualTo(expected);
        }
      }
    }
  }

  /** The end is in a buffer of its own, behind what was parsed at once. */
  @Test
  void anEndIsSeenBehindWhatWasParsedAsItCame() {
    String line = "GET /x HTTP/1.1\r\nHost: a\r\nX-Long: ";
    String fill = "x".repeat(LongHeadParser.PROMPT_LENGTH - line.length() - 2);
    String body = "y".repeat(BUFFER_LENGTH);
    for (String end : List.of("\r\n|\r\n", "\n|\n", "\n\r|\n", "\r\n|\n", "\n|\r\n")) {
      String[] parts = end.split("\\|");
      Told told = new Told();
      HttpParser parser = parser(told);
      parser.parseNext(direct(line + fill + parts[0]));
      assertThat(parser.parseNext(direct(parts[1] + body))).as(end).isTrue();
      assertThat(told.events).last().isEqualTo("head");
    }
  }

  @Test
  void aLongHeadIsNotParsedBeforeItsEnd() {
    Told told = new Told();
    HttpParser parser = parser(told);
    parser.parseNext(direct("GET /x HTTP/1.1\r\nHost: a\r\n" + "X-A: 1\r\n".repeat(1_000)));
    int early = told.events.size();
    assertThat(early).isLessThan(LongHeadParser.PROMPT_LENGTH / 8 + 3);
    for (int i = 0; i < 50; i++) {
      parser.parseNext(direct("X-B: 2\r\n"));
    }
    assertThat(told.events).hasSize(early);
    assertThat(parser.inHeaderState()).isTrue();
    assertThat(parser.isStart()).isFalse();
    parser.parseNext(direct("\r\n"));
    assertThat(told.events).last().isEqualTo("head");
    assertThat(told.events.stream().filter("x-b: 2"::equals)).hasSize(50);
  }

  @Test
  void whatIsTooLongIsRefusedWithoutItsEnd() {
    Told told = new Told();
    HttpParser parser = parser(told);
    parser.parseNext(direct("GET /x HTTP/1.1\r\nHost: a\r\n"));
    for (int i = 0; i * 1000 < MAX_LENGTH; i++) {
      assertThat(parser.isTerminated()).isFalse();
      parser.parseNext(direct("X-A: %s\r\n".formatted("x".repeat(993))));
    }
    assertThat(parser.isTerminated()).isTrue();
    assertThat(told.events).last().isEqualTo("bad 431");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100})
  void aConnectionThatEndsWithinAHeadIsNotAnswered(int fields) {
    Told told = new Told();
    HttpParser parser = parser(told);
    parser.parseNext(
        direct(
            "GET /x HTTP/1.1\r\nHost: a\r\n"
                + "X-A: %s\r\n".formatted("x".repeat(100)).repeat(fields)));
    List<String> before = List.copyOf(told.events);
    parser.atEOF();
    assertThat(parser.parseNext(direct(""))).isFalse();
    assertThat(parser.isClosed()).isTrue();
    assertThat(told.events).isEqualTo(before);
  }

  @Test
  void whatMayNotBeKeptEndsTheParser() {
    Told told = new Told();
    HttpParser parser =
        new LongHeadParser(told, MAX_LENGTH, HttpCompliance.RFC9110, () -> told.events.isEmpty());
    ByteBuffer buffer =
        direct("GET /x HTTP/1.1\r\nHost: a\r\nX-A: %s\r\n".formatted("x".repeat(5_000)));
    assertThat(parser.parseNext(buffer)).isFalse();
    assertThat(buffer.hasRemaining()).isFalse();
    assertThat(parser.isState(HttpParser.State.CLOSE)).isTrue();
    List<String> before = List.copyOf(told.events);
    parser.parseNext(direct("X-B: b\r\n\r\n"));
    assertThat(told.events).isEqualTo(before);
  }

  /** As when the connection speaks HTTP/2 from there on. */
  @ParameterizedTest
  @ValueSource(ints = {0, 5_000})
  void whatFollowsAHeadCanBeTakenWhenItEnds(int length) {
    List<ByteBuffer> rests = new ArrayList<>();
    LongHeadParser[] parsers = new LongHeadParser[1];
    Told told =
        new Told() {
          @Override
          public boolean headerComplete() {
            rests.add(parsers[0].takeRest());
            return super.headerComplete();
          }
        };
    parsers[0] = new LongHeadParser(told, MAX_LENGTH, HttpCompliance.RFC9110, () -> true);
    String head = "GET /x HTTP/1.1\r\nHost: a\r\nX-A: %s".formatted("x".repeat(length));
    parsers[0].parseNext(direct(head));
    ByteBuffer buffer = direct("\r\n\r\nrest");
    parsers[0].parseNext(buffer);
    assertThat(StandardCharsets.US_ASCII.decode(rests.getFirst()).toString()).isEqualTo("rest");
    assertThat(rests.getFirst().isDirect()).isFalse();
    assertThat(buffer.hasRemaining()).isFalse();
    assertThat(parsers[0].takeRest()).isNull();
  }

  private static HttpParser plain(HttpParser.RequestHandler handler) {
    return withoutCache(new HttpParser(handler, MAX_LENGTH, HttpCompliance.RFC9110));
  }

  private static HttpParser parser(HttpParser.RequestHandler handler) {
    return withoutCache(
        new LongHeadParser(handler, MAX_LENGTH, HttpCompliance.RFC9110, () -> true));
  }

  /** As the server has it. */
  private static HttpParser withoutCache(HttpParser parser) {
    parser.setHeaderCacheSize(0);
    return parser;
  }

  /** Feeds a parser as Jetty's connection does, and ends the connection, after the head. */
  private static List<String> told(
      Function<HttpParser.RequestHandler, HttpParser> make, List<ByteBuffer> pieces) {
    Told told = new Told();
    HttpParser parser = make.apply(told);
    for (ByteBuffer piece : pieces) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(piece.remaining()).put(piece.duplicate());
      feed(parser, buffer.flip(), told);
      if (parser.isTerminated()) {
        return told.events;
      }
    }
    if (parser.inHeaderState() && !parser.isStart()) {
      feed(parser, direct("\r\n\r\n"), told);
    }
    parser.atEOF();
    feed(parser, ByteBuffer.allocateDirect(0), told);
    return told.events;
  }

  private static void feed(HttpParser parser, ByteBuffer buffer, Told told) {
    boolean isMore;
    do {
      isMore = parser.parseNext(buffer) || buffer.hasRemaining();
      if (parser.isState(HttpParser.State.END)) {
        told.events.add("end");
        parser.reset();
      }
    } while (isMore && !parser.isTerminated());
  }

  private static List<ByteBuffer> pieces(byte[] bytes, SplittableRandom random) {
    int most =
        switch (random.nextInt(5)) {
          case 0 -> bytes.length;
          case 1 -> BUFFER_LENGTH;
          case 2 -> 1_000;
          case 3 -> 50;
          default -> random.nextInt(10) == 0 ? 1 : 3_000;
        };
    List<ByteBuffer> pieces = new ArrayList<>();
    int begin = 0;
    while (begin < bytes.length) {
      int length = random.nextInt(2) == 0 ? most : 1 + random.nextInt(most);
      int end = Math.min(bytes.length, begin + Math.min(length, BUFFER_LENGTH));
      pieces.add(slice(bytes, begin, end));
      begin = end;
    }
    return pieces;
  }

  /** One to four requests on a connection. */
  private static byte[] requests(SplittableRandom random) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      all.writeBytes(request(random).getBytes(StandardCharsets.ISO_8859_1));
    }
    byte[] bytes = all.toByteArray();
    // Every tenth connection ends before it should.
    return random.nextInt(10) == 0 ? slice(bytes, 0, random.nextInt(bytes.length)).array() : bytes;
  }

  private static String request(SplittableRandom random) {
    String end = random.nextInt(4) == 0 ? "\n" : "\r\n";
    StringBuilder head = new StringBuilder();
    if (random.nextInt(8) == 0) {
      head.append(end.repeat(random.nextInt(2_000)));
    }
    head.append(
            switch (random.nextInt(20)) {
              case 0 -> "M".repeat(random.nextInt(5_000));
              case 1 -> "GET" + " ".repeat(random.nextInt(5_000));
              default -> List.of("GET", "PUT", "PRI").get(random.nextInt(3));
            })
        .append(" /")
        .append(random.nextInt(6) == 0 ? text(random, random.nextInt(6_000)).replace(" ", "") : "x")
        .append(random.nextInt(30) == 0 ? "" : " HTTP/1." + random.nextInt(2))
        .append(end);
    String defect = DEFECTS.get(random.nextInt(DEFECTS.size()));
    int fields = random.nextInt(12);
    int defective = random.nextInt(fields + 1);
    boolean isLong = random.nextInt(3) > 0;
    if (random.nextInt(20) > 0) {
      head.append("Host: device").append(end);
    }
    for (int i = 0; i < fields; i++) {
      if (i == defective && !defect.isEmpty()) {
        head.append(defect).append(end);
      }
      head.append(List.of("X-A", "accept", "Range", "if-match").get(random.nextInt(4)))
          .append(random.nextBoolean() ? ": " : ":\t")
          .append(text(random, random.nextInt(isLong ? 900 : 30)))
          .append(end);
    }
    // So far below the limit, however much Jetty counts of it; or far beyond.
    if (random.nextInt(8) == 0) {
      head.append("X-Large: ").append("x".repeat(2 * MAX_LENGTH)).append(end);
    }
    String body = "b".repeat(random.nextInt(random.nextBoolean() ? 10 : 3_000));
    return switch (random.nextInt(4)) {
      case 0 -> head + "Content-Length: " + body.length() + end + end + body;
      case 1 ->
          head
              + "Transfer-Encoding: chunked"
              + end
              + end
              + chunked(body, random)
              + "X-T: t"
              + end
              + end;
      default -> head + end;
    };
  }

  private static String chunked(String body, SplittableRandom random) {
    StringBuilder chunks = new StringBuilder();
    int begin = 0;
    while (begin < body.length()) {
      int end = Math.min(body.length(), begin + 1 + random.nextInt(1_000));
      chunks.append(Integer.toHexString(end - begin)).append("\r\n");
      chunks.append(body, begin, end).append("\r\n");
      begin = end;
    }
    return chunks.append("0\r\n").toString();
  }

  /** Visible characters, spaces, and bytes beyond ASCII. */
  private static String text(SplittableRandom random, int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      int kind = random.nextInt(20);
      text.append(
          (char)
              (kind == 0 ? ' ' : kind == 1 ? 0xa0 + random.nextInt(90) : 33 + random.nextInt(94)));
    }
    return text.toString();
  }

  private static ByteBuffer slice(byte[] bytes, int begin, int end) {
    return ByteBuffer.wrap(Arrays.copyOfRange(bytes, begin, end));
  }

  private static ByteBuffer direct(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  /** Writes down what it is told, and stops the parser where Jetty's connection does. */
  private static class Told implements HttpParser.RequestHandler {
    private final List<String> events = new ArrayList<>();
    private final StringBuilder content = new StringBuilder();

    @Override
    public void startRequest(String method, String uri, HttpVersion version) {
      events.add(method + " " + uri + " " + version);
    }

    @Override
    public void parsedHeader(HttpField field) {
      events.add(text(field));
    }

    @Override
    public boolean headerComplete() {
      events.add("head");
      return true;
    }

    @Override
    public boolean content(ByteBuffer item) {
      content.append(StandardCharsets.ISO_8859_1.decode(item));
      return true;
    }

    @Override
    public boolean contentComplete() {
      return false;
    }

    @Override
    public void parsedTrailer(HttpField field) {
      events.add("trailer " + text(field));
    }

    @Override
    public boolean messageComplete() {
      events.add("content " + content);
      content.setLength(0);
      return false;
    }

    @Override
    public void earlyEOF() {
      events.add("early end after " + content);
    }

    @Override
    public void onViolation(ComplianceViolation.Event event) {
      events.add("violation " + event.violation().getName());
    }

    @Override
    public void badMessage(HttpException failure) {
      events.add("bad " + failure.getCode());
    }

    /**
     * How a name is written depends on where Jetty's buffer ended: it looks names up in a table.
     */
    private static String text(HttpField field) {
      return field.getName().toLowerCase(Locale.ROOT) + ": " + field.getValue();
    }
  }
}
