package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.RecordWire.Header;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A small answer is one TLS record, which a modem takes whole: a client with a receive buffer of 2
 * KB cannot decrypt a longer one.
 */
@EnumSource(names = {"TLS12", "TLS13", "H2"})
class SmallAnswerIT extends EachTransport {
  /** In bytes, header included. */
  private static final int MAX_RECORD = 2_048;

  /** In bytes: a modem's buffer is for firmware. */
  private static final int MAX_HEAD_OF_PART = 400;

  /** Most that a record adds to its data: the JDK pads those of TLS 1.3 by 16 bytes. */
  private static final int MAX_OVERHEAD = 33;

  /** Larger than any answer here. */
  private static final int RECEIVE_BUFFER = 256 * 1024;

  private static final int STREAM_WINDOW = 1 << 20;
  private static final int SMALL = 1_400;
  private static final byte[] CONTENT = Bytes.random(300_000, 91);
  private static final String FILE = "gateway-firmware-2026.11.2-arm64.raucb";

  private static final Pattern STATUS_AND_LENGTH =
      Pattern.compile("HTTP/1\\.1 ([0-9]{3}) (?s:.*)\r\nContent-Length: ([0-9]+)\r\n");

  @BeforeParameterizedClassInvocation
  void put() throws Exception {
    try (Operator operator = server.operator()) {
      for (String repository : List.of("public", "secret", "encrypted")) {
        assertThat(
                operator
                    .put(repository, FILE, CONTENT, "Content-Type", "application/vnd.rauc.bundle")
                    .statusCode())
            .isIn(200, 201);
      }
    }
  }

  private List<String> requests() throws IOException {
    String authorization = "Authorization: Bearer " + server.operatorToken() + "\r\n";
    String range = "Range: bytes=100000-" + (100_000 + SMALL - 1) + "\r\n";
    List<String> requests = new ArrayList<>();
    for (String fields :
        List.of(
            authorization + range,
            authorization + "Range: bytes=0-3\r\n",
            authorization + "Range: bytes=999999-\r\n",
            authorization + "Range: rubbish\r\nIf-Match: \"other\"\r\n",
            range)) {
      requests.add(request("GET", "/artifacts/secret/" + FILE, fields));
    }
    requests.add(request("HEAD", "/artifacts/secret/" + FILE, authorization));
    requests.add(request("GET", "/artifacts/public/" + FILE, range));
    requests.add(request("GET", "/artifacts/encrypted/" + FILE, range));
    requests.add(request("GET", "/artifacts/public/missing", range));
    requests.add(request("GET", "/artifacts/nowhere/missing", authorization));
    requests.add(request("GET", "/", ""));
    return requests;
  }

  private static String request(String method, String path, String fields) {
    return "%s %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n".formatted(method, path, fields);
  }

  @Test
  void aSmallAnswerIsOneRecord() throws IOException {
    if (transport.isHttp2()) {
      requireFramesInOneRecord();
    } else {
      requireOneRecord();
    }
  }

  private void requireOneRecord() throws IOException {
    for (String request : requests()) {
      try (RecordWire wire = RecordWire.open(server, RECEIVE_BUFFER)) {
        // The first answer is behind the session's tickets, which are records of their own.
        wire.send(request);
        requireWhole(request, wire.receive(), wire.records().getLast());
        for (int i = 0; i < 3; i++) {
          int before = wire.records().size();
          wire.send(request);
          requireWhole(request, wire.receive(), wire.records().getLast());
          assertThat(wire.records()).as(request).hasSize(before + 1);
        }
      }
    }
  }

  private static void requireWhole(String request, byte[] answer, Header record) {
    String text = new String(answer, StandardCharsets.ISO_8859_1);
    int headLength = text.indexOf("\r\n\r\n") + 4;
    Matcher head = STATUS_AND_LENGTH.matcher(text);
    assertThat(head.lookingAt()).as(text).isTrue();
    if (head.group(1).equals("206")) {
      assertThat(headLength)
          .as(text.substring(0, headLength))
          .isLessThanOrEqualTo(MAX_HEAD_OF_PART);
    }
    assertThat(answer.length - headLength)
        .as(request)
        .isEqualTo(request.startsWith("HEAD") ? 0 : Integer.parseInt(head.group(2)));
    assertThat(record.type()).isEqualTo(RecordWire.APPLICATION_DATA);
    assertThat(record.length() - answer.length).as(request).isBetween(1, MAX_OVERHEAD);
    assertThat(RecordWire.HEADER_LENGTH + record.length())
        .as(text.substring(0, headLength))
        .isLessThanOrEqualTo(MAX_RECORD);
  }

  /** The frames of the head and of the body, too. */
  private void requireFramesInOneRecord() throws IOException {
    try (RecordWire wire = RecordWire.open(server, RECEIVE_BUFFER);
        Http2Wire http2 = Http2Wire.open(wire.socket(), STREAM_WINDOW)) {
      http2.exchange("GET", "/artifacts/public/missing", List.of());
      for (String path :
          List.of("public/" + FILE, "encrypted/" + FILE, "public/missing", "nowhere/x")) {
        int before = wire.records().size();
        Wire.Response answer =
            http2.exchange(
                "GET", "/artifacts/" + path, List.of("range: bytes=1000-" + (1_000 + SMALL - 1)));
        if (answer.status() == 206) {
          assertThat(answer.body()).isEqualTo(Arrays.copyOfRange(CONTENT, 1_000, 1_000 + SMALL));
        }
        assertThat(wire.records()).as(path).hasSize(before + 1);
        assertThat(RecordWire.HEADER_LENGTH + wire.records().getLast().length())
            .isLessThanOrEqualTo(MAX_RECORD);
      }
    }
  }
}
