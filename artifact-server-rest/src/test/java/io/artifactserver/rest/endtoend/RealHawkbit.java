package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * hawkBit itself as its own process, with a database and a folder of artifacts in a folder, and the
 * client of its administrator and its devices. Used by one thread.
 */
final class RealHawkbit implements AutoCloseable {
  private static final String JAR = "HAWKBIT_JAR";

  /** The account that hawkBit has before anybody changes it. */
  private static final String ADMINISTRATOR =
      "Basic "
          + Base64.getEncoder().encodeToString("admin:admin".getBytes(StandardCharsets.US_ASCII));

  private static final String BOUNDARY = "boundary-of-the-parts";

  private final HttpClient client = HttpClient.newHttpClient();
  private final JsonMapper mapper = JsonMapper.builder().build();
  private final Path folder;
  private final int port;
  private final List<String> properties;
  private Process process;

  private RealHawkbit(Path folder, int port, List<String> properties) throws IOException {
    this.folder = folder;
    this.port = port;
    this.properties = List.copyOf(properties);
    this.process = launch(List.of());
  }

  /** Skips the tests, and says so, unless the environment names hawkBit's jar. */
  static void assumeNamed() {
    if (jar().isEmpty()) {
      String message = "SKIPPED: hawkBit itself is not tested, because " + JAR + " names no jar";
      System.err.println(message);
      abort(message);
    }
  }

  /**
   * Starts it, and waits until it answers. Devices may come with their own token or the gateway's.
   *
   * @param properties lines of its configuration
   */
  static RealHawkbit start(Path folder, int port, String gatewayToken, String... properties)
      throws IOException {
    String authentication = "hawkbit.server.ddi.security.authentication.";
    List<String> all = new ArrayList<>(List.of(properties));
    all.add(authentication + "targettoken.enabled=true");
    all.add(authentication + "gatewaytoken.enabled=true");
    all.add(authentication + "gatewaytoken.key=" + gatewayToken);
    RealHawkbit hawkbit = new RealHawkbit(folder, port, all);
    hawkbit.awaitAnswer();
    return hawkbit;
  }

  /** Where it keeps its artifacts, by default. */
  static Path artifacts(Path folder) {
    return folder.resolve("artifactrepo");
  }

  String url() {
    return "http://127.0.0.1:" + port;
  }

  /** Creates a software module; returns its number. */
  long module(String name) throws IOException, InterruptedException {
    return manage(
            "POST",
            "/softwaremodules",
            "[{\"name\": \"%s\", \"version\": \"1\", \"type\": \"os\"}]".formatted(name))
        .path(0)
        .path("id")
        .asLong();
  }

  /** Uploads an artifact of a module. */
  void artifact(long module, String fileName, byte[] content)
      throws IOException, InterruptedException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.write(
        """
        --%s\r
        Content-Disposition: form-data; name="file"; filename="%s"\r
        Content-Type: application/octet-stream\r
        \r
        """
            .formatted(BOUNDARY, fileName)
            .getBytes(StandardCharsets.UTF_8));
    body.write(content);
    body.write("\r\n--%s--\r\n".formatted(BOUNDARY).getBytes(StandardCharsets.UTF_8));
    HttpRequest request =
        management("/softwaremodules/" + module + "/artifacts")
            .header("Content-Type", "multipart/form-data; boundary=" + BOUNDARY)
            .POST(BodyPublishers.ofByteArray(body.toByteArray()))
            .build();
    HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
  }

  /** Creates a distribution set of one module; returns its number. */
  long distributionSet(String name, long module) throws IOException, InterruptedException {
    return manage(
            "POST",
            "/distributionsets",
            "[{\"name\": \"%s\", \"version\": \"1\", \"type\": \"os\", \"modules\": [{\"id\": %d}]}]"
                .formatted(name, module))
        .path(0)
        .path("id")
        .asLong();
  }

  void device(String controllerId, String token) throws IOException, InterruptedException {
    manage(
        "POST",
        "/targets",
        "[{\"controllerId\": \"%1$s\", \"name\": \"%1$s\", \"securityToken\": \"%2$s\"}]"
            .formatted(controllerId, token));
  }

  void rotateToken(String controllerId, String token) throws IOException, InterruptedException {
    manage("PUT", "/targets/" + controllerId, "{\"securityToken\": \"%s\"}".formatted(token));
  }

  /** Assigns a distribution set to a device; returns the number of the action. */
  long assign(String controllerId, long distributionSet) throws IOException, InterruptedException {
    return manage(
            "POST",
            "/distributionsets/" + distributionSet + "/assignedTargets",
            "[{\"id\": \"%s\", \"type\": \"forced\"}]".formatted(controllerId))
        .path("assignedActions")
        .path(0)
        .path("id")
        .asLong();
  }

  /** Takes an action back, without asking the device. */
  void cancel(String controllerId, long action) throws IOException, InterruptedException {
    String path = "/targets/" + controllerId + "/actions/" + action;
    manage("DELETE", path, "");
    manage("DELETE", path + "?force=true", "");
  }

  /** Polls as a device does, and fetches the deployment that it is pointed to. */
  String deployment(String controllerId, String authorization)
      throws IOException, InterruptedException {
    String own = url() + "/DEFAULT/controller/v1/" + controllerId;
    String link =
        mapper.readTree(get(own, authorization)).at("/_links/deploymentBase/href").asString("");
    assertThat(link).startsWith(own + "/deploymentBase/");
    return get(link, authorization);
  }

  /** Stops it; its folder stays. */
  void stop() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }

  /** Starts it again, on the same folder and port, with more lines of configuration. */
  void restart(String... more) throws IOException {
    process = launch(List.of(more));
    awaitAnswer();
  }

  String log() throws IOException {
    return Files.readString(folder.resolve("hawkbit.log"));
  }

  @Override
  public void close() {
    client.close();
    process.destroyForcibly();
    process.onExit().join();
  }

  private static String jar() {
    return System.getenv().getOrDefault(JAR, "");
  }

  private Process launch(List<String> more) throws IOException {
    Path jar = Path.of(jar()).toAbsolutePath();
    assertThat(jar).isRegularFile();
    // As a file beside the program, where operators have it.
    List<String> lines =
        new ArrayList<>(
            List.of(
                "server.address=127.0.0.1",
                "server.port=" + port,
                "spring.datasource.url=jdbc:h2:file:./database;MODE=LEGACY"));
    lines.addAll(properties);
    lines.addAll(more);
    Files.write(folder.resolve("application.properties"), lines);
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-jar",
            jar.toString());
    return builder
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("hawkbit.log").toFile()))
        .start();
  }

  private void awaitAnswer() {
    HttpRequest request = management("/userinfo").build();
    eventually("hawkBit answers", () -> answers(request));
  }

  private boolean answers(HttpRequest request) throws IOException, InterruptedException {
    assertThat(process.isAlive()).as("hawkBit ended:%n%s", log()).isTrue();
    try {
      return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException _) {
      return false;
    }
  }

  private JsonNode manage(String method, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        management(path)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode())
        .as("%s %s: %s", method, path, answer.body())
        .isBetween(200, 299);
    return mapper.readTree(answer.body().isEmpty() ? "{}" : answer.body());
  }

  private HttpRequest.Builder management(String path) {
    return HttpRequest.newBuilder(URI.create(url() + "/rest/v1" + path))
        .header("Authorization", ADMINISTRATOR);
  }

  private String get(String address, String authorization)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address)).header("Authorization", authorization).build();
    HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as("GET %s: %s", address, answer.body()).isEqualTo(200);
    return answer.body();
  }
}
