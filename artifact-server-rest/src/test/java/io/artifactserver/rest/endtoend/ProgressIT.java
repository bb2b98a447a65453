package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.waiting.Eventually;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The progress of a device in the API is what the device was sent. */
class ProgressIT extends ProgressFixture {
  /** As RAUC: thousands of requests that differ in the range, which Jetty does not see. */
  @Test
  void aDeviceThatStreamsGoesFromNothingToComplete(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        Wire wire = new Wire(server.port())) {
      upload(operator, "streamed", LENGTH);
      assertThat(progress(operator, "streamed")).isEqualTo("[]");
      int step = 20_000;
      for (int position = 0; position < LENGTH; position += step) {
        if (position == LENGTH / 2) {
          assertProgress(operator, "streamed", "rauc-1", position, LENGTH);
        }
        wire.send(
            """
            GET /artifacts/public/progress/streamed HTTP/1.1\r
            Host: a\r
            RAUC-Serial: rauc-1\r
            Range: bytes=%d-%d\r
            \r
            """
                .formatted(position, position + step - 1));
        assertThat(wire.receive(true).status()).isEqualTo(206);
      }
      assertProgress(operator, "streamed", "rauc-1", LENGTH, LENGTH);
    }
  }

  @Test
  void rangesOfOneRequestCountEachForItself(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server)) {
      upload(operator, "scattered", LENGTH);
      String path = "/artifacts/public/progress/scattered";
      get(server, path, "RAUC-Serial", "zsync", "Range", "bytes=0-99,1000-1999,100-149");
      assertProgress(operator, "scattered", "zsync", 1150, LENGTH);
      get(server, path, "RAUC-Serial", "zsync", "Range", "bytes=0-1999");
      assertProgress(operator, "scattered", "zsync", 2000, LENGTH);
      get(server, path, "RAUC-Serial", "zsync", "Range", "bytes=-1");
      assertProgress(operator, "scattered", "zsync", 2001, LENGTH);
      get(server, path, "RAUC-Serial", "zsync");
      assertProgress(operator, "scattered", "zsync", LENGTH, LENGTH);
      get(server, path);
      assertThat(progress(operator, "scattered").split("\"device\"")).hasSize(2);
    }
  }

  @Test
  void aDeviceThatGoesAwayHasWhatItTook(PackagedServer server) throws Exception {
    // More than the sockets take on their own.
    int length = 64 << 20;
    try (Operator operator = new Operator(server)) {
      upload(operator, "cut", length);
      try (Wire wire = new Wire(server.port())) {
        wire.send(
            "GET /artifacts/public/progress/cut HTTP/1.1\r\nHost: a\r\nRAUC-Serial: gone\r\n\r\n");
        // A device that goes away before its answer begins has nothing.
        wire.receive(false);
        assertThat(wire.body().readNBytes(1)).hasSize(1);
        Eventually.eventuallyPasses(
            "What it took is known while the body is on its way",
            () -> {
              assertThat(progress(operator, "cut")).contains("\"lastError\":null");
              assertTakenInPart(progress(operator, "cut"), length);
            });
      }
      Eventually.eventuallyPasses(
          "Why it ended is known",
          () ->
              assertThat(progress(operator, "cut"))
                  .containsPattern("\"lastError\":\\{\"reason\":\"aborted\",\"at\":\"[^\"]+\"}"));
      assertTakenInPart(progress(operator, "cut"), length);
    }
  }

  private static void assertTakenInPart(String progress, int length) {
    Matcher found =
        Pattern.compile("\"bytes\":(\\d+),\"length\":\\d+,\"complete\":false").matcher(progress);
    assertThat(found.find()).as(progress).isTrue();
    assertThat(Long.parseLong(found.group(1))).isPositive().isLessThan(length);
  }

  /** As an ESP32 on a slow link: one request, and no range. */
  @Test
  void aRateIsKnownBeforeTheEnd(PackagedServer server) throws Exception {
    // A minute's worth, of which a few seconds are taken.
    int length = 64 << 20;
    int bytesPerSecond = 1 << 20;
    try (Operator operator = new Operator(server);
        Wire wire = new Wire(server.port())) {
      operator.createRepository("paced", true);
      operator.put("paced", "image", Bytes.random(length, 6));
      HttpResponse<String> limits =
          operator.json(
              "PUT",
              "/api/v1/repositories/paced/limits",
              "{\"bytesPerSecond\": %d}".formatted(bytesPerSecond));
      assertThat(limits.statusCode()).as(limits.body()).isEqualTo(200);
      wire.send("GET /artifacts/paced/image HTTP/1.1\r\nHost: a\r\nRAUC-Serial: esp\r\n\r\n");
      wire.receive(false);
      assertThat(wire.body().readNBytes(3 * bytesPerSecond)).hasSize(3 * bytesPerSecond);
      AtomicInteger taken = new AtomicInteger(3 * bytesPerSecond);
      Eventually.eventuallyPasses(
          "The device has a rate",
          () -> {
            taken.addAndGet(wire.body().readNBytes(bytesPerSecond / 10).length);
            String progress = operator.get("/api/v1/progress?repository=paced&path=image").body();
            assertThat(rate(progress))
                .as(progress)
                .isBetween(bytesPerSecond / 2L, 2L * bytesPerSecond);
            assertThat(progress).contains("\"complete\":false");
          });
      assertThat(operator.json("PUT", "/api/v1/repositories/paced/limits", "{}").statusCode())
          .isEqualTo(200);
      int rest = length - taken.get();
      assertThat(wire.body().readNBytes(rest)).hasSize(rest);
      Eventually.eventuallyPasses(
          "All devices together have it",
          () ->
              assertThat(
                      operator.get("/api/v1/progress/summary?repository=paced&path=image").body())
                  .matches(
                      "\\{\"devices\":1,\"complete\":1,\"active\":1,\"length\":67108864,"
                          + "\"averageBytes\":67108864,\"rate\":\\d{6,9}}"));
    }
  }

  private static long rate(String progress) {
    Matcher found = Pattern.compile("\"rate\":(\\d+)").matcher(progress);
    return found.find() ? Long.parseLong(found.group(1)) : 0;
  }

  /** A public repository asks for no token, and still knows whose it is. */
  @ParameterizedTest
  @CsvSource({"public", "secret", "encrypted"})
  void aDeviceIsItsToken(String repository, PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server)) {
      String path = "by-token";
      operator.put(repository, path, Bytes.random(LENGTH, 5));
      HttpResponse<String> created =
          operator.json(
              "POST",
              "/api/v1/tokens",
              "{\"name\": \"device of %s\", \"role\": \"device\"}".formatted(repository));
      assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
      Matcher token = TOKEN.matcher(created.body());
      assertThat(token.find()).as(created.body()).isTrue();
      get(
          server,
          "/artifacts/" + repository + "/" + path,
          "Authorization",
          "Bearer " + token.group(1));
      Eventually.eventuallyPasses(
          "The token is looked up",
          () ->
              assertThat(
                      operator
                          .get("/api/v1/progress?repository=" + repository + "&path=" + path)
                          .body())
                  .contains("\"device\":\"device of " + repository + "\"")
                  .contains("\"complete\":true"));
    }
  }

  @Test
  void tellsWhatADeviceHasAndWhoHasNotFetched(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server)) {
      operator.createRepository("fleet", true);
      for (String name : new String[] {"old", "new", "new-again"}) {
        operator.put("fleet", name, Bytes.random(1000, name.startsWith("new") ? 1 : 0));
      }
      String all = "/api/v1/progress?repository=fleet&path=new&missing=true";
      get(server, "/artifacts/fleet/old", "RAUC-Serial", "done");
      get(server, "/artifacts/fleet/old", "RAUC-Serial", "idle one");
      get(server, "/artifacts/fleet/old", "RAUC-Serial", "half");
      get(server, "/artifacts/fleet/new", "RAUC-Serial", "done");
      get(server, "/artifacts/fleet/new", "RAUC-Serial", "half", "Range", "bytes=0-499");
      Eventually.eventuallyPasses(
          "Two devices do not have all of it",
          () ->
              assertThat(operator.get(all).body())
                  .matches(
                      "\\[\\{\"device\":\"half\",\"bytes\":500,\"length\":1000,\"complete\":false,\"updated\":\"[^\"]+\",[^{]*},"
                          + "\\{\"device\":\"idle one\",\"bytes\":0,\"length\":1000,\"complete\":false,\"updated\":null,\"rate\":null,\"averageRate\":null,\"lastError\":null}]"));
      HttpResponse<String> first = operator.get(all + "&limit=1");
      assertThat(first.body()).contains("half").doesNotContain("idle");
      String next = first.headers().firstValue("Link").orElseThrow();
      assertThat(operator.get(next.substring(1, next.indexOf('>'))).body())
          .contains("idle one")
          .doesNotContain("half");
      // Both paths have the same bytes.
      assertThat(operator.get("/api/v1/progress?device=half").body())
          .matches(
              "\\[\\{\"repository\":\"fleet\",\"path\":\"new\",\"device\":\"half\",\"bytes\":500,.*"
                  + "\"path\":\"new-again\",\"device\":\"half\",\"bytes\":500,.*"
                  + "\"path\":\"old\",\"device\":\"half\",\"bytes\":1000,\"length\":1000,\"complete\":true,.*");
      assertThat(operator.get("/api/v1/progress?device=half&limit=1").body().split("path"))
          .hasSize(2);
      assertThat(operator.get("/api/v1/progress?device=nobody").body()).isEqualTo("[]");
    }
  }

  @Test
  void oneClientCannotInventDevicesWithoutEnd(PackagedServer server) throws Exception {
    // It uses up what its address may name, so it has one that no other test has.
    InetAddress inventor = InetAddress.getByName("127.0.0.2");
    try (Operator operator = new Operator(server);
        Wire wire =
            new Wire(new Socket(InetAddress.getLoopbackAddress(), server.port(), inventor, 0))) {
      upload(operator, "invented", 1000);
      double before = operator.metric("artifact_server_progress_pending");
      for (int i = 0; i < 3000; i++) {
        wire.send(
            "GET /artifacts/public/progress/invented HTTP/1.1\r\nHost: a\r\nRAUC-Serial: n%d\r\n\r\n"
                .formatted(i));
        assertThat(wire.receive(true).status()).isEqualTo(200);
      }
      assertThat(operator.metric("artifact_server_progress_pending") - before)
          .isLessThanOrEqualTo(1100);
      HttpResponse<String> page =
          operator.get("/api/v1/progress?repository=public&path=progress/invented&limit=2");
      assertThat(page.body().split("\"device\"")).hasSize(3);
      assertThat(page.headers().firstValue("Link").orElseThrow()).contains("rel=\"next\"");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "?repository=public&path=absent, 404",
    "?repository=absent&path=a, 404",
    "?repository=public&path=table.bin&limit=0, 400",
    "?repository=public&path=table.bin&limit=10001, 400",
    "?repository=public&path=table.bin&after=%00, 400",
    "?repository=public&path=../a, 400",
    "?repository=public&path=absent&missing=true, 404",
    "?repository=public&path=table.bin&missing=perhaps, 400",
    "/summary?repository=public&path=absent, 404",
    "/summary?repository=public, 400",
    "/events?repository=public&path=absent, 404",
    "/events?path=table.bin, 400",
    "?device=a&repository=public, 400",
    "?device=a&repository=public&path=table.bin, 400",
    "?device=%00, 400",
    "?device=a&limit=0, 400",
    "?path=a, 400",
    "?repository=public, 400"
  })
  void refusesWhatNamesNoArtifact(String query, int status, PackagedServer server)
      throws Exception {
    try (Operator operator = new Operator(server)) {
      assertThat(operator.get("/api/v1/progress" + query).statusCode()).isEqualTo(status);
    }
    try (Wire wire = new Wire(server.port())) {
      wire.send("GET /api/v1/progress%s HTTP/1.1\r\nHost: a\r\n\r\n".formatted(query));
      assertThat(wire.receive(true).status()).isEqualTo(401);
    }
  }

  private static void assertProgress(
      Operator operator, String name, String device, long bytes, long length) {
    // The end of a body is known a moment after its last byte.
    Eventually.eventuallyPasses(
        "The progress is known",
        () ->
            assertThat(progress(operator, name))
                .contains(
                    "{\"device\":\"%s\",\"bytes\":%d,\"length\":%d,\"complete\":%s,\"updated\":\""
                        .formatted(device, bytes, length, bytes == length)));
  }

  private static String progress(Operator operator, String name)
      throws IOException, InterruptedException {
    return operator.get("/api/v1/progress?repository=public&path=progress/" + name).body();
  }
}
