package io.artifactserver.rest.endtoend;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.stream.Collectors;

/** Speaks tus 1.0.0, request by request. Used by one thread. */
final class TusClient implements AutoCloseable {
  static final String PATH = "/api/v1/uploads";

  private final RunningServer server;
  private final String token;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  TusClient(RunningServer server, String token) {
    this.server = server;
    this.token = token;
  }

  /** Begins an upload that has to begin; returns its path. */
  String begin(String repository, String path, long length)
      throws IOException, InterruptedException {
    HttpResponse<String> created =
        create(
            "Upload-Length",
            String.valueOf(length),
            "Upload-Metadata",
            metadata(Map.of("repository", repository, "path", path)));
    if (created.statusCode() != 201) {
      throw new AssertionError(created + created.body());
    }
    return created.headers().firstValue("Location").orElseThrow();
  }

  HttpResponse<String> create(String... fields) throws IOException, InterruptedException {
    return send("POST", PATH, new byte[0], fields);
  }

  HttpResponse<String> patch(String path, long offset, byte[] bytes, String... fields)
      throws IOException, InterruptedException {
    String[] all = new String[fields.length + 4];
    System.arraycopy(fields, 0, all, 4, fields.length);
    all[0] = "Upload-Offset";
    all[1] = String.valueOf(offset);
    all[2] = "Content-Type";
    all[3] = "application/offset+octet-stream";
    return send("PATCH", path, bytes, all);
  }

  HttpResponse<String> send(String method, String path, byte[] body, String... fields)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.uri(path))
            .method(
                method,
                body.length == 0 && !method.equals("PATCH")
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofByteArray(body))
            .header("Authorization", "Bearer " + token);
    boolean isVersioned = false;
    for (int i = 0; i < fields.length; i += 2) {
      request.header(fields[i], fields[i + 1]);
      isVersioned |= fields[i].equals("Tus-Resumable");
    }
    if (!isVersioned) {
      request.header("Tus-Resumable", "1.0.0");
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /** The offset that the server tells. */
  long offset(String path) throws IOException, InterruptedException {
    return send("HEAD", path, new byte[0]).headers().firstValueAsLong("Upload-Offset").orElse(-1);
  }

  static String metadata(Map<String, String> pairs) {
    return pairs.entrySet().stream()
        .map(pair ->
            pair.getKey()
                + ' '
                + Base64.getEncoder()
                    .encodeToString(pair.getValue().getBytes(StandardCharsets.UTF_8)))
        .collect(Collectors.joining(","));
  }

  @Override
  public void close() {
    client.close();
  }
}
