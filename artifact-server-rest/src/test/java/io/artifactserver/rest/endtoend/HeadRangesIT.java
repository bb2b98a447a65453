package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Some BMCs test with HEAD and Range whether they may mount an image. */
class HeadRangesIT {
  @Test
  void aHeadIsAnsweredAsTheGetWouldBe(@TempDir Path folder) throws Exception {
    try (PackagedServer server =
            PackagedServer.start(
                folder.resolve("data"), "--artifact-server.download.head-ranges=true");
        Operator operator = new Operator(server);
        HttpClient http1 = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpClient http2 = server.http2(HttpClient.newBuilder())) {
      operator.createRepository("images", true);
      assertThat(operator.put("images", "a.iso", Bytes.random(100_000, 1)).statusCode())
          .isEqualTo(201);
      for (HttpClient client : List.of(http1, http2)) {
        HttpResponse<byte[]> part = head(client, server, "bytes=100-299");
        assertThat(part.statusCode()).isEqualTo(206);
        assertThat(part.headers().firstValue("Content-Range")).contains("bytes 100-299/100000");
        assertThat(part.headers().firstValue("Content-Length")).contains("200");
        assertThat(part.body()).isEmpty();
        HttpResponse<byte[]> parts = head(client, server, "bytes=0-9,90-99");
        assertThat(parts.statusCode()).isEqualTo(206);
        assertThat(parts.headers().firstValue("Content-Type").orElseThrow())
            .startsWith("multipart/byteranges");
        assertThat(head(client, server, "bytes=100000-").statusCode()).isEqualTo(416);
        // The connection goes on.
        assertThat(head(client, server, "lines=1-2").statusCode()).isEqualTo(200);
      }
    }
  }

  private static HttpResponse<byte[]> head(HttpClient client, PackagedServer server, String range)
      throws Exception {
    return client.send(
        HttpRequest.newBuilder(server.uri("/artifacts/images/a.iso"))
            .header("Range", range)
            .HEAD()
            .build(),
        BodyHandlers.ofByteArray());
  }
}
