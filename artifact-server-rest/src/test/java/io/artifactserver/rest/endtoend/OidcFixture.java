package io.artifactserver.rest.endtoend;

import io.artifactserver.core.testserver.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A packaged server with an OpenID Connect provider, and its artifacts. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OidcFixture {
  static final byte[] CONTENT = Bytes.random(100_000, 24);

  final IdentityProvider provider = new IdentityProvider(Ports.reserve());
  final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  PackagedServer server;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    provider.start();
    server = server(folder, provider.issuer());
  }

  @AfterAll
  void stop() {
    server.close();
    provider.close();
    client.close();
  }

  static String page(PackagedServer server) {
    return server.uri("/swagger-ui/index.html").toString();
  }

  static PackagedServer server(Path folder, String issuer) throws Exception {
    return server(
        folder,
        issuer,
        "--artifact-server.oidc.sign-in.client-id=" + IdentityProvider.PUBLIC_CLIENT);
  }

  static PackagedServer server(Path folder, String issuer, String... more) throws Exception {
    List<String> options = new ArrayList<>(settings(issuer));
    options.addAll(List.of(more));
    PackagedServer started =
        PackagedServer.start(folder.resolve("data"), options.toArray(String[]::new));
    try (Operator operator = new Operator(started)) {
      operator.createRepository("boards", false);
      operator.createRepository("other", false);
      operator.createRepository("open", true);
      operator.put("boards", "nightly/image", CONTENT);
      operator.put("other", "image", CONTENT);
      operator.put("open", "image", CONTENT);
    }
    return started;
  }

  private static List<String> settings(String issuer) {
    return List.of(
        "--artifact-server.oidc.issuer=" + issuer,
        "--artifact-server.oidc.audience=" + IdentityProvider.AUDIENCE,
        "--artifact-server.oidc.clock-skew=1s",
        "--artifact-server.oidc.grants[0].group=ci",
        "--artifact-server.oidc.grants[0].role=publisher",
        "--artifact-server.oidc.grants[0].repositories=boards",
        "--artifact-server.oidc.grants[0].paths=nightly",
        "--artifact-server.oidc.grants[1].group=viewers",
        "--artifact-server.oidc.grants[1].role=reader",
        "--artifact-server.oidc.grants[1].repositories=boards",
        "--artifact-server.oidc.grants[2].group=admins",
        "--artifact-server.oidc.grants[2].role=admin");
  }

  /** Wrong tokens are counted by address. */
  static HttpClient from(String address) throws IOException {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .localAddress(InetAddress.getByName(address))
        .build();
  }

  int send(PackagedServer to, String method, String path, String token)
      throws IOException, InterruptedException {
    return send(client, to, method, path, token);
  }

  static int send(HttpClient client, PackagedServer to, String method, String path, String token)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(to.uri(path))
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .method(
                method,
                method.equals("GET") || method.equals("DELETE")
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString("{}"))
            .build();
    return client.send(request, BodyHandlers.discarding()).statusCode();
  }
}
