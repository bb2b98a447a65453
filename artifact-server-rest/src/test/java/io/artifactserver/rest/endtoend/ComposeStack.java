package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.junit.jupiter.api.Assumptions.abort;

import io.artifactserver.core.program.Programs;
import io.artifactserver.core.testserver.Ports;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The stack of docker-compose.yml, under a name and on a port of its own. The image is the
 * Dockerfile's, but it takes the jar that the other tests take instead of building one. Used by one
 * thread.
 */
final class ComposeStack implements RunningServer, AutoCloseable {
  private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();

  /** The Dockerfile's stage that has everything but the record of a start. */
  private static final String STAGE = "FROM eclipse-temurin:25-jre AS server\n";

  private static final String LAST_STAGE = "\nFROM server\n";
  private static final List<String> IMAGES = List.of("eclipse-temurin:25-jre", "postgres:18");

  private final Path folder;
  private final int port = Ports.reserve();
  private final String name = "artifact-server-test-" + ProcessHandle.current().pid();
  private String token = "";

  private ComposeStack(Path folder) {
    this.folder = folder;
  }

  /** Makes the image; skips the test, and says so, where there is no engine to run it. */
  static ComposeStack prepare(Path folder) throws IOException, InterruptedException {
    Programs.assumeInstalled("docker");
    requireEngine(folder);
    ComposeStack stack = new ComposeStack(folder);
    stack.makeImage();
    return stack;
  }

  /** The variables that make the page's commands mean this stack. */
  Map<String, String> environment() {
    return Map.of(
        "COMPOSE_FILE",
        PROJECT.resolve("docker-compose.yml") + ":" + folder.resolve("image.yml"),
        "COMPOSE_PROJECT_NAME",
        name,
        "PUBLISH_PORT",
        String.valueOf(port));
  }

  void start() throws IOException, InterruptedException {
    run("docker", "compose", "up", "--detach");
    awaitHealthy();
  }

  /** Waits for a server that somebody else started. */
  void awaitHealthy() throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest health = HttpRequest.newBuilder(uri("/actuator/health")).build();
      eventually("the stack is healthy", () -> isHealthy(client, health));
    }
    token = output("docker", "compose", "exec", "-T", "server", "cat", "/data/operator-token");
  }

  /** Its volumes go, too. */
  void destroy() throws IOException, InterruptedException {
    run("docker", "compose", "down", "--volumes", "--timeout", "30");
  }

  @Override
  public URI uri(String pathAndQuery) {
    return URI.create("http://127.0.0.1:" + port + pathAndQuery);
  }

  @Override
  public String operatorToken() {
    return token;
  }

  @Override
  public void close() throws IOException {
    try {
      destroy();
      run("docker", "image", "rm", "--force", name);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while the stack stops");
    }
  }

  private static boolean isHealthy(HttpClient client, HttpRequest health)
      throws InterruptedException {
    try {
      return client.send(health, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      // Not listening yet.
      return false;
    }
  }

  private static void requireEngine(Path folder) throws IOException, InterruptedException {
    Files.createDirectories(folder);
    requireSuccess(folder, "no Docker engine answers", "docker", "version");
    requireSuccess(folder, "docker has no compose plugin", "docker", "compose", "version");
    for (String image : IMAGES) {
      if (exitCode(folder, "docker", "image", "inspect", image) != 0) {
        requireSuccess(folder, image + " is not to be had", "docker", "pull", "--quiet", image);
      }
    }
  }

  private static void requireSuccess(Path folder, String trouble, String... command)
      throws IOException, InterruptedException {
    if (exitCode(folder, command) != 0) {
      String message =
          "SKIPPED: the backup of the compose stack is not tested, because %s (%s)"
              .formatted(trouble, Files.readString(folder.resolve("log")).strip());
      System.err.println(message);
      abort(message);
    }
  }

  private static int exitCode(Path folder, String... command)
      throws IOException, InterruptedException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("log").toFile())
        .start()
        .waitFor();
  }

  private void makeImage() throws IOException, InterruptedException {
    Path context = Files.createDirectory(folder.resolve("context"));
    Path jar = Path.of(System.getProperty("server.jar", "")).toAbsolutePath();
    run(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Djarmode=tools",
        "-jar",
        jar.toString(),
        "extract",
        "--layers",
        "--destination",
        context.resolve("layers").toString());
    Path application = context.resolve("layers/application");
    Path launcher = PROJECT.resolve("artifact-server-rest/src/main/launcher");
    try (Stream<Path> files = Files.list(launcher)) {
      for (Path file : files.toList()) {
        Files.copy(file, application.resolve(file.getFileName()));
      }
    }
    Files.move(application.resolve(jar.getFileName()), application.resolve("artifact-server.jar"));
    Files.writeString(context.resolve("Dockerfile"), dockerfile());
    Files.writeString(
        folder.resolve("image.yml"), "services: {server: {image: \"%s\"}}\n".formatted(name));
    run("docker", "build", "--tag", name, context.toString());
  }

  /** From the two stages of the Dockerfile that become the image. */
  private static String dockerfile() throws IOException {
    String text = Files.readString(PROJECT.resolve("Dockerfile"), StandardCharsets.UTF_8);
    String server = text.substring(text.indexOf(STAGE), text.indexOf("\n# Starts the server once"));
    String last = text.substring(text.indexOf(LAST_STAGE));
    return server
            .replace("--from=build /build/layers/", "layers/")
            .replace("COPY artifact-server-rest/src/main/launcher/ ./\n", "")
        + last.replace("COPY --from=record /tmp/record/ ./\n", "");
  }

  private void run(String... command) throws IOException, InterruptedException {
    if (process(command).inheritIO().start().waitFor() != 0) {
      throw new AssertionError(String.join(" ", command) + " failed");
    }
  }

  private String output(String... command) throws IOException, InterruptedException {
    Process process = process(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new AssertionError(String.join(" ", command) + " failed");
    }
    return output.strip();
  }

  private ProcessBuilder process(String... command) {
    ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(List.of(command)));
    builder.directory(folder.toFile());
    builder.environment().putAll(environment());
    return builder;
  }
}
