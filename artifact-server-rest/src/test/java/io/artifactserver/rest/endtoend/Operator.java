package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An operator's HTTP client. Used by one thread. */
final class Operator implements AutoCloseable {
  private final RunningServer server;
  private final HttpClient client;

  Operator(RunningServer server) {
    this.server = server;
    this.client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  /**
   * @param trust in the server's certificate
   */
  Operator(RunningServer server, SSLContext trust) {
    this.server = server;
    this.client =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).sslContext(trust).build();
  }

  /**
   * @param client that reaches the server; closed with this object
   */
  Operator(RunningServer server, HttpClient client) {
    this.server = server;
    this.client = client;
  }

  HttpResponse<String> createRepository(String name, boolean isPublic)
      throws IOException, InterruptedException {
    return json(
        "POST",
        "/api/v1/repositories",
        "{\"name\": \"%s\", \"public\": %s, \"encrypted\": false}".formatted(name, isPublic));
  }

  /** A public one, whose paths take other bytes after a deletion. */
  HttpResponse<String> createMutableRepository(String name)
      throws IOException, InterruptedException {
    return json(
        "POST",
        "/api/v1/repositories",
        "{\"name\": \"%s\", \"public\": true, \"encrypted\": false, \"mutable\": true}"
            .formatted(name));
  }

  /** A public one. */
  HttpResponse<String> createEncryptedRepository(String name)
      throws IOException, InterruptedException {
    return json(
        "POST",
        "/api/v1/repositories",
        "{\"name\": \"%s\", \"public\": true, \"encrypted\": true}".formatted(name));
  }

  HttpResponse<String> json(String method, String path, String body, String... fields)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        request(path)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body));
    for (int i = 0; i < fields.length; i += 2) {
      request.header(fields[i], fields[i + 1]);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /**
   * Makes a token.
   *
   * @param paths of the repository that it is limited to, each in quotes; empty for all
   */
  String token(String role, String repository, String paths)
      throws IOException, InterruptedException {
    HttpResponse<String> made =
        json(
            "POST",
            "/api/v1/tokens",
            """
            {"name": "%s of %s", "role": "%s", "repositories": ["%s"], "paths": [%s]}
            """
                .formatted(role, repository, role, repository, paths));
    return JsonMapper.shared().readTree(made.body()).get("token").asString();
  }

  /** Makes a token that may do all that the operator may, with limits of its own. */
  String adminToken(String name) throws IOException, InterruptedException {
    HttpResponse<String> made =
        json("POST", "/api/v1/tokens", "{\"name\": \"%s\", \"role\": \"admin\"}".formatted(name));
    return JsonMapper.shared().readTree(made.body()).get("token").asString();
  }

  /**
   * Sends what somebody else sends.
   *
   * @param token empty for nobody
   */
  HttpResponse<String> as(String token, String method, String path, String body, String... fields)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.uri(path))
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .header("Content-Type", "application/json");
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    for (int i = 0; i < fields.length; i += 2) {
      request.header(fields[i], fields[i + 1]);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  HttpResponse<String> put(String repository, String path, BodyPublisher body, String... fields)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        request("/api/v1/repositories/" + repository + "/artifacts/" + path).PUT(body);
    for (int i = 0; i < fields.length; i += 2) {
      request.header(fields[i], fields[i + 1]);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  HttpResponse<String> put(String repository, String path, byte[] bytes, String... fields)
      throws IOException, InterruptedException {
    return put(repository, path, BodyPublishers.ofByteArray(bytes), fields);
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(request(path).GET().build(), BodyHandlers.ofString());
  }

  /** Reads the whole audit, a line for each entry: one answer has about a thousand of them. */
  List<String> audit() throws IOException, InterruptedException {
    List<String> lines = new ArrayList<>();
    List<String> part;
    long last = 0;
    do {
      part = get("/api/v1/audit?after=" + last).body().lines().toList();
      lines.addAll(part);
      last =
          part.isEmpty() ? last : JsonMapper.shared().readTree(part.getLast()).get("id").asLong();
    } while (!part.isEmpty());
    return lines;
  }

  /**
   * Returns an upload of the list of those under way, as JSON; empty if it is not there.
   *
   * @param address of the upload
   */
  String unfinishedUpload(String address) throws IOException, InterruptedException {
    String id = address.substring(address.lastIndexOf('/') + 1);
    return JsonMapper.shared()
        .readTree(get(TusClient.PATH + "?limit=1000").body())
        .get("uploads")
        .valueStream()
        .filter(each -> each.get("id").asString().equals(id))
        .map(JsonNode::toString)
        .findFirst()
        .orElse("");
  }

  /**
   * Reads a metric; returns the sum of the series that have the labels.
   *
   * @param labels as they are written, such as {@code reason="stall"}
   * @throws NoSuchElementException if there is no such series: a count of nothing is a series of 0
   */
  double metric(String name, String... labels) throws IOException, InterruptedException {
    return get("/actuator/prometheus")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + ' ') || line.startsWith(name + '{'))
        .filter(line -> Stream.of(labels).allMatch(line::contains))
        .map(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .reduce(Double::sum)
        .orElseThrow(() -> new NoSuchElementException(name + List.of(labels)));
  }

  /** The body of an answer that goes on; the caller closes it. */
  InputStream stream(String path) throws IOException, InterruptedException {
    HttpResponse<InputStream> response =
        client.send(request(path).build(), BodyHandlers.ofInputStream());
    assertThat(response.statusCode()).isEqualTo(200);
    return response.body();
  }

  HttpResponse<String> delete(String path) throws IOException, InterruptedException {
    return client.send(request(path).DELETE().build(), BodyHandlers.ofString());
  }

  /** A download, with the operator's token. */
  HttpResponse<byte[]> download(String path, String... fields)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = request(path).GET();
    for (int i = 0; i < fields.length; i += 2) {
      request.header(fields[i], fields[i + 1]);
    }
    return client.send(request.build(), BodyHandlers.ofByteArray());
  }

  /** A download, without any token. */
  HttpResponse<byte[]> downloadAsNobody(String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(server.uri(path)).build(), BodyHandlers.ofByteArray());
  }

  /** A download with a device's token. */
  HttpResponse<byte[]> downloadAsDevice(String path, String authorization)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(server.uri(path)).header("Authorization", authorization).build(),
        BodyHandlers.ofByteArray());
  }

  @Override
  public void close() {
    client.close();
  }

  private HttpRequest.Builder request(String path) throws IOException {
    return HttpRequest.newBuilder(server.uri(path))
        .header("Authorization", "Bearer " + server.operatorToken());
  }
}
