package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;

import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** Servers with a short queue, and clients of both versions of HTTP that wait in it together. */
abstract class QueueFixture extends EachTransport {
  static final byte[] CONTENT = Bytes.random(100_000, 24);
  static final int PLACES = 20;
  static final int OF_ONE_CLIENT = 5;

  final List<HttpClient> clients = new ArrayList<>();
  private Endpoints endpoints;
  Operator operator;

  @BeforeAll
  void start(@TempDir Path folder) {
    endpoints =
        new Endpoints(
            folder,
            _ -> {},
            "--artifact-server.download.revocation-check=1s",
            "--artifact-server.limit.max-waiting=" + PLACES,
            "--artifact-server.limit.max-waiting-of-one-client=" + OF_ONE_CLIENT,
            // A quarter of it is how often the server looks who has left.
            "--artifact-server.connections.rate-window=2s");
  }

  @Override
  Endpoints endpoints(Endpoints shared) {
    return endpoints;
  }

  @BeforeParameterizedClassInvocation
  void connect() throws Exception {
    operator = server.operator();
  }

  @AfterParameterizedClassInvocation
  void disconnectOperator() {
    operator.close();
  }

  @AfterEach
  void disconnect() {
    // A close would wait for requests that still wait.
    clients.forEach(HttpClient::shutdownNow);
  }

  @AfterAll
  void stop() {
    endpoints.close();
  }

  static String get(String repository, String token) {
    return get(repository).replace("Host: a", "Host: a\r\nAuthorization: Bearer " + token);
  }

  static String get(String repository, int position) {
    return get(repository)
        .replace("Host: a", "Host: a\r\nRange: bytes=%d-%d".formatted(position, position + 9));
  }

  /** Makes a repository, and takes the one turn in it. */
  Wire occupy(String repository) throws IOException, InterruptedException {
    return occupy(repository, true);
  }

  Wire occupy(String repository, boolean isPublic) throws IOException, InterruptedException {
    operator.createRepository(repository, isPublic);
    operator.put(repository, "image", CONTENT);
    String limits = "{\"bytesPerSecond\": 10, \"concurrentDownloads\": 1}";
    limit(repository, limits);
    Wire running = open();
    running.send(get(repository, server.operatorToken()));
    eventually("it is its turn", running::isAnswered);
    return running;
  }

  void limit(String repository, String limits) throws IOException, InterruptedException {
    operator.json("PUT", "/api/v1/repositories/" + repository + "/limits", limits);
  }

  void release(String repository) throws IOException, InterruptedException {
    limit(repository, "{}");
  }

  long waiting() throws IOException, InterruptedException {
    return (long) operator.metric("artifact_server_downloads_waiting");
  }

  static String get(String repository) {
    return "GET /artifacts/" + repository + "/image HTTP/1.1\r\nHost: a\r\n\r\n";
  }
}
