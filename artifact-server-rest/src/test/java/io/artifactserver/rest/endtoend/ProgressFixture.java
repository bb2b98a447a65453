package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ExtendWith;

/** Artifacts whose progress is asked for. */
@ExtendWith(SharedServer.class)
abstract class ProgressFixture {
  static final int LENGTH = 3_000_000;
  static final Pattern TOKEN = Pattern.compile("\"token\":\"([^\"]+)\"");

  static void upload(Operator operator, String name, int length)
      throws IOException, InterruptedException {
    HttpResponse<String> response =
        operator.put("public", "progress/" + name, Bytes.random(length, name.hashCode()));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
  }

  static void get(PackagedServer server, String path, String... fields)
      throws IOException, InterruptedException {
    get(InetAddress.getLoopbackAddress(), server, path, fields);
  }

  /**
   * The same.
   *
   * @param from an address of this machine: devices without a token are counted by it
   */
  static void get(InetAddress from, PackagedServer server, String path, String... fields)
      throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newBuilder().localAddress(from).build()) {
      HttpResponse<byte[]> response =
          client.send(
              HttpRequest.newBuilder(server.uri(path)).headers(withHost(fields)).build(),
              BodyHandlers.ofByteArray());
      assertThat(response.statusCode())
          .as(new String(response.body(), StandardCharsets.ISO_8859_1))
          .isIn(200, 206);
    }
  }

  /** The client wants at least one field. */
  private static String[] withHost(String... fields) {
    String[] all = new String[fields.length + 2];
    all[0] = "Accept";
    all[1] = "*/*";
    System.arraycopy(fields, 0, all, 2, fields.length);
    return all;
  }
}
