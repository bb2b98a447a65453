package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.eclipse.jetty.http.MetaData;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** HTTP/2 (RFC 9113) without TLS: streams, limits, and what attackers send. */
@ExtendWith(SharedServer.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class Http2IT {
  private static final String TABLE = "/artifacts/public/table.bin";
  private static final String IMAGE = "/artifacts/public/http2.img";
  private static final int IMAGE_LENGTH = 40_000_000;
  private static final int RANGES = 100;
  private static final int RANGE_LENGTH = 20_000_000;
  private static final byte[] FIRST_FOUR = Arrays.copyOf(SharedServer.TABLE, 4);

  private final byte[] image = Bytes.random(IMAGE_LENGTH, 71);

  @BeforeAll
  void upload(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server)) {
      assertThat(operator.put("public", "http2.img", image).statusCode()).isIn(200, 201);
    }
  }

  @Test
  void hundredRangesOfTwentyMegabytesOnOneConnectionComplete(PackagedServer server)
      throws IOException {
    try (Http2Wire wire = Http2Wire.open(server.port())) {
      int[] positions = new int[2 * RANGES];
      int open = RANGES;
      for (int i = 0; i < RANGES; i++) {
        int first = first(2 * i + 1);
        int stream =
            wire.get(IMAGE, "Range: bytes=%d-%d".formatted(first, first + RANGE_LENGTH - 1));
        positions[stream] = first;
      }
      while (open > 0) {
        Http2Wire.Frame frame = wire.receive();
        assertThat(frame.type()).isNotIn(Http2Wire.GOAWAY, Http2Wire.RST_STREAM);
        if (frame.type() == Http2Wire.DATA && frame.payload().length > 0) {
          int position = positions[frame.stream()];
          int length = frame.payload().length;
          if (!Arrays.equals(frame.payload(), 0, length, image, position, position + length)) {
            throw new AssertionError("Other bytes at %d".formatted(position));
          }
          positions[frame.stream()] = position + length;
          wire.window(0, length);
        }
        open -= frame.endsStream() ? 1 : 0;
      }
      for (int i = 0; i < RANGES; i++) {
        int stream = 2 * i + 1;
        assertThat(positions[stream] - first(stream))
            .as("stream %d", stream)
            .isEqualTo(RANGE_LENGTH);
      }
    }
  }

  private static int first(int stream) {
    return stream * 2_000;
  }

  /** Through a proxy that ends TLS. */
  @Test
  void javaClientTakesManyRangesAtOnce(PackagedServer server) {
    try (HttpClient client = server.http2(HttpClient.newBuilder())) {
      URI uri = server.uri(IMAGE);
      HttpRequest first = HttpRequest.newBuilder(uri).header("Range", "bytes=0-3").build();
      HttpResponse<byte[]> answered = client.sendAsync(first, BodyHandlers.ofByteArray()).join();
      assertThat(answered.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(answered.body()).isEqualTo(Arrays.copyOf(image, 4));
      List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        String range = "bytes=%d-%d".formatted(i * 500_000, i * 500_000 + 131_071);
        answers.add(
            client.sendAsync(
                HttpRequest.newBuilder(uri).header("Range", range).build(),
                BodyHandlers.ofByteArray()));
      }
      for (int i = 0; i < answers.size(); i++) {
        assertThat(answers.get(i).join().body())
            .isEqualTo(Arrays.copyOfRange(image, i * 500_000, i * 500_000 + 131_072));
      }
    }
  }

  @Test
  void uploadsComeOverHttp2(PackagedServer server) throws Exception {
    try (HttpClient client = server.http2(HttpClient.newBuilder())) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(server.uri("/api/v1/repositories/public/artifacts/by-http2.img"))
              .header("Authorization", "Bearer " + server.operatorToken());
      client.send(HttpRequest.newBuilder(server.uri(TABLE)).build(), BodyHandlers.discarding());
      HttpResponse<String> put =
          client.send(
              request.PUT(HttpRequest.BodyPublishers.ofByteArray(image)).build(),
              BodyHandlers.ofString());
      assertThat(put.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(put.statusCode()).as(put.body()).isEqualTo(201);
      assertThat(
              client
                  .send(
                      HttpRequest.newBuilder(server.uri("/artifacts/public/by-http2.img")).build(),
                      BodyHandlers.ofByteArray())
                  .body())
          .isEqualTo(image);
    }
  }

  /** Two windows of one byte, opened byte by byte. */
  @Test
  void tinyWindowsAreServed(PackagedServer server) throws IOException {
    try (Http2Wire wire = Http2Wire.open(server.port(), 1)) {
      int stream = wire.get(TABLE, "Range: bytes=0-63");
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      while (body.size() < 64) {
        Http2Wire.Frame data = wire.await(Http2Wire.DATA);
        assertThat(data.payload()).hasSize(1);
        body.writeBytes(data.payload());
        if (body.size() < 64) {
          wire.window(stream, 1);
        }
      }
      assertThat(body.toByteArray()).isEqualTo(Arrays.copyOf(SharedServer.TABLE, 64));
    }
  }

  /** Streams beyond the limit are refused and may be sent again; the rest are served. */
  @Test
  void thousandStreamsThatAreNeverReadAreBounded(PackagedServer server) throws IOException {
    try (Http2Wire wire = Http2Wire.open(server.port(), 0)) {
      List<Integer> streams = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        streams.add(wire.get(IMAGE));
      }
      int answered = 0;
      int refused = 0;
      while (answered + refused < streams.size()) {
        Http2Wire.Frame frame = wire.receive();
        switch (frame.type()) {
          case Http2Wire.HEADERS -> {
            assertThat(((MetaData.Response) wire.decoded(frame)).getStatus()).isEqualTo(200);
            answered++;
          }
          case Http2Wire.RST_STREAM -> {
            assertThat(frame.errorCode()).isEqualTo(Http2Wire.REFUSED_STREAM);
            refused++;
          }
          default -> assertThat(frame.type()).isNotIn(Http2Wire.GOAWAY, Http2Wire.DATA);
        }
      }
      assertThat(answered).isEqualTo(128);
      try (Wire other = new Wire(server.port())) {
        other.send("GET " + TABLE + " HTTP/1.1\r\nHost: device\r\nRange: bytes=0-3\r\n\r\n");
        assertThat(other.receive(true).body()).isEqualTo(FIRST_FOUR);
      }
    }
  }

  /** Downloaders of many segments do this whenever one of their mirrors is faster. */
  @Test
  void abortingAllOfHundredDownloadsKeepsTheConnection(PackagedServer server) throws IOException {
    try (Http2Wire wire = Http2Wire.open(server.port())) {
      for (int round = 0; round < 5; round++) {
        List<Integer> streams = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
          streams.add(wire.get(IMAGE));
        }
        wire.await(Http2Wire.DATA);
        for (int stream : streams) {
          wire.reset(stream);
        }
      }
      int last = wire.get(TABLE, "Range: bytes=0-3");
      Http2Wire.Frame frame = wire.receive();
      while (frame.type() != Http2Wire.DATA || frame.stream() != last) {
        if (frame.type() == Http2Wire.GOAWAY) {
          throw new AssertionError(frame.reason());
        }
        frame = wire.receive();
      }
      assertThat(frame.payload()).isEqualTo(FIRST_FOUR);
    }
  }

  /** A flood: what it sends, some thousand times, until the connection is closed. */
  record Flood(String name, Step step) {
    interface Step {
      void send(Http2Wire wire) throws IOException;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Flood> floods() {
    return Stream.of(
        new Flood("rapid reset", wire -> wire.reset(wire.get(TABLE))),
        new Flood("PING", wire -> wire.send(Http2Wire.PING, 0, 0, new byte[8])),
        new Flood("SETTINGS", wire -> wire.send(Http2Wire.SETTINGS, 0, 0, new byte[0])),
        new Flood(
            "CONTINUATION",
            wire -> wire.send(Http2Wire.CONTINUATION, 0, wire.nextStream(), new byte[0])),
        new Flood(
            "empty DATA", wire -> wire.send(Http2Wire.DATA, 0, wire.nextStream(), new byte[0])),
        new Flood("WINDOW_UPDATE", wire -> wire.window(0, 1)),
        new Flood("unknown frames", wire -> wire.send(0x77, 0, 0, new byte[4])));
  }

  @ParameterizedTest
  @MethodSource("floods")
  void floodsEndTheConnectionAndNoOther(Flood flood, PackagedServer server) throws IOException {
    // Windows that bytes can still be added to.
    try (Http2Wire wire = Http2Wire.open(server.port(), 65_535)) {
      byte[] block = HeaderBlock.of("http", "PUT", TABLE, List.of());
      if (flood.name().equals("CONTINUATION")) {
        wire.send(Http2Wire.HEADERS, Http2Wire.END_STREAM, wire.nextStream(), block);
      } else if (flood.name().equals("empty DATA")) {
        wire.send(Http2Wire.HEADERS, Http2Wire.END_HEADERS, wire.nextStream(), block);
      }
      try {
        for (int i = 0; i < 100_000; i++) {
          flood.step().send(wire);
        }
      } catch (SocketException e) {
        // Closed by the server while it was flooded.
      }
      assertThat(wire.isClosedByServer()).isTrue();
    }
    try (Http2Wire wire = Http2Wire.open(server.port())) {
      assertThat(wire.exchange("GET", TABLE, List.of("Range: bytes=0-3")).body())
          .isEqualTo(FIRST_FOUR);
    }
  }

  @Test
  void headersBeyondTheLimitAreRefused(PackagedServer server) throws IOException {
    try (Http2Wire wire = Http2Wire.open(server.port())) {
      byte[] block =
          HeaderBlock.of("http", "GET", TABLE, List.of("x-large: " + "a".repeat(60_000)));
      int stream = wire.nextStream();
      wire.send(Http2Wire.HEADERS, Http2Wire.END_STREAM, stream, Arrays.copyOf(block, 16_000));
      for (int sent = 16_000; sent < block.length; sent += 16_000) {
        int end = Math.min(block.length, sent + 16_000);
        wire.send(
            Http2Wire.CONTINUATION,
            end == block.length ? Http2Wire.END_HEADERS : 0,
            stream,
            Arrays.copyOfRange(block, sent, end));
      }
      Http2Wire.Frame frame = wire.receive();
      while (frame.type() == Http2Wire.SETTINGS || frame.type() == Http2Wire.WINDOW_UPDATE) {
        frame = wire.receive();
      }
      if (frame.type() == Http2Wire.HEADERS) {
        assertThat(((MetaData.Response) wire.decoded(frame)).getStatus()).isIn(400, 431);
      } else {
        assertThat(frame.type()).isIn(Http2Wire.RST_STREAM, Http2Wire.GOAWAY);
      }
    }
  }

  /** RFC 9113, section 6.8: what is under way ends as it should, and then the connection does. */
  @Test
  void stoppingServerSaysGoAwayAndFinishesDownloads(@TempDir Path folder) throws Exception {
    PackagedServer server = PackagedServer.start(folder.resolve("data"));
    try (Operator operator = new Operator(server)) {
      operator.createRepository("public", true);
      operator.put("public", "http2.img", image);
    }
    try (Http2Wire wire = Http2Wire.open(server.port(), 1_000)) {
      int stream = wire.get(IMAGE, "Range: bytes=0-99999");
      Http2Wire.Frame data = wire.await(Http2Wire.DATA);
      CompletableFuture<Void> stopped = CompletableFuture.runAsync(server::close);
      int received = data.payload().length;
      assertThat(wire.awaitGoAway()).isZero();
      wire.window(0, 1_000_000);
      wire.window(stream, 1_000_000);
      while (received < 100_000) {
        data = wire.await(Http2Wire.DATA);
        received += data.payload().length;
      }
      assertThat(data.endsStream()).isTrue();
      stopped.join();
    }
  }
}
