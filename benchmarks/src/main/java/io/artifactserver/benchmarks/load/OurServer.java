package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.ServerDescription;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * artifact-server, started by its launcher on a folder of its own, with its embedded database. The
 * file is in a public repository, in a private one for which a device has a token, and in one with
 * a limit if that is asked for.
 */
final class OurServer implements Server {
  /** The server as it comes. */
  static final String PLAIN = "artifact-server";

  /** The same with encrypted repositories. */
  static final String ENCRYPTED = "artifact-server encrypted";

  /** Where the file is for everybody. */
  static final String OPEN_PATH = "/artifacts/load/file";

  private static final String FAMILY = "artifact-server";
  private static final Duration START = Duration.ofMinutes(10);
  private static final Pattern TOKEN = Pattern.compile("\"token\"\\s*:\\s*\"([^\"]+)\"");

  private final ServerDescription description;
  private final Program program;
  private final Path data;
  private final Target open;
  private final Target token;
  private final Optional<Target> paced;

  private OurServer(
      ServerDescription description,
      Program program,
      Path data,
      Target open,
      Target token,
      Optional<Target> paced) {
    this.description = description;
    this.program = program;
    this.data = data;
    this.open = open;
    this.token = token;
    this.paced = paced;
  }

  /**
   * Starts it, and puts the file there.
   *
   * @param name {@code plain}, {@code encrypted}, or another; those that end in {@code encrypted}
   *     have encrypted repositories
   * @param properties for its command line
   */
  static OurServer start(String name, List<String> properties, Path launcher, Site site) {
    if (!Files.isExecutable(launcher)) {
      throw new UsageException(
          "There is no launcher at %s: say where it is with --launcher".formatted(launcher));
    }
    String label = name.equals("plain") ? PLAIN : FAMILY + " " + name;
    String fileName = label.replace(' ', '-');
    Path data = site.folder().resolve(fileName + "-data");
    Site.delete(data);
    int port = Program.freePort();
    List<String> command = new ArrayList<>();
    command.add(launcher.toAbsolutePath().toString());
    command.add("--server.port=" + port);
    command.add("--server.address=127.0.0.1");
    command.add("--artifact-server.data-dir=" + data);
    // Deriving would go on while downloads are measured: chunks are waited for.
    command.add("--artifact-server.http2.cleartext=true");
    command.add("--artifact-server.derive.enabled=" + site.chunks().isPresent());
    command.add("--artifact-server.derive.share=1");
    site.certificate()
        .ifPresent(files -> {
          command.add("--artifact-server.tls.certificate=" + files.certificate());
          command.add("--artifact-server.tls.private-key=" + files.key());
        });
    command.addAll(properties);
    Program program =
        Program.start(label, command, Map.of(), site.folder().resolve(fileName + ".log"));
    try {
      program.awaitPort(port, START);
      URI base = URI.create("%s://127.0.0.1:%d".formatted(site.scheme(), port));
      Target open = new Target(base.resolve(OPEN_PATH), "");
      Target token =
          new Target(
              base.resolve("/artifacts/load-private/file"),
              "Bearer " + upload(base, data, site, name.endsWith("encrypted")));
      return new OurServer(
          new ServerDescription(
              label,
              FAMILY,
              true,
              "this commit",
              ("./artifact-server " + String.join(" ", command.subList(1, command.size())))
                  .replace(site.folder().toString(), "FOLDER")),
          program,
          data,
          open,
          token,
          site.paced()
              ? Optional.of(new Target(base.resolve("/artifacts/load-paced/file"), ""))
              : Optional.empty());
    } catch (RuntimeException e) {
      program.close();
      throw e;
    }
  }

  /** Returns the token of a device that may read the private repository. */
  private static String upload(URI base, Path data, Site site, boolean encrypted) {
    try (HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .sslContext(new TrustingTls().context())
            .build()) {
      awaitReady(client, base);
      String operator = Files.readString(data.resolve("operator-token")).strip();
      List<String> repositories = new ArrayList<>(List.of("load", "load-private"));
      if (site.paced()) {
        repositories.add("load-paced");
      }
      for (String repository : repositories) {
        send(
            client,
            request(base, "/api/v1/repositories", operator)
                .header("Content-Type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"name\": \"%s\", \"public\": %s, \"encrypted\": %s}"
                            .formatted(repository, !repository.equals("load-private"), encrypted)))
                .build());
        String address = "/api/v1/repositories/" + repository;
        send(
            client,
            request(base, address + "/forms", operator)
                .header("Content-Type", "application/json")
                .PUT(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"paths\": [\"%s/*\"]}".formatted(ChunkStore.FOLDER)))
                .build());
        put(client, request(base, address + "/artifacts/file", operator), site.file());
      }
      if (site.paced()) {
        send(
            client,
            request(base, "/api/v1/repositories/load-paced/limits", operator)
                .header("Content-Type", "application/json")
                .PUT(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"bytesPerSecond\": %d}".formatted(PacedReaders.LIMIT)))
                .build());
      }
      if (site.chunks().isPresent()) {
        putChunks(client, base, operator, site.chunks().get().image());
      }
      String answer =
          send(
              client,
              request(base, "/api/v1/tokens", operator)
                  .header("Content-Type", "application/json")
                  .POST(
                      HttpRequest.BodyPublishers.ofString(
                          "{\"name\": \"load\", \"repositories\": [\"load-private\"]}"))
                  .build());
      Matcher token = TOKEN.matcher(answer);
      if (!token.find()) {
        throw new IllegalStateException("The server gave no token: " + answer);
      }
      return token.group(1);
    } catch (FileNotFoundException e) {
      throw new IllegalStateException("The file to upload is gone", e);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot upload the file", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted", e);
    }
  }

  private static void putChunks(HttpClient client, URI base, String operator, Path image)
      throws IOException, InterruptedException {
    String path = "/%s/%s".formatted(ChunkStore.FOLDER, image.getFileName());
    put(client, request(base, "/api/v1/repositories/load/artifacts" + path, operator), image);
    HttpRequest index = request(base, "/artifacts/load" + path + ".caibx", operator).build();
    await(client, index, "artifact-server does not derive chunks");
  }

  private static void put(HttpClient client, HttpRequest.Builder request, Path file)
      throws IOException, InterruptedException {
    send(client, request.PUT(HttpRequest.BodyPublishers.ofFile(file)).build());
  }

  private static HttpRequest.Builder request(URI base, String path, String token) {
    return HttpRequest.newBuilder(base.resolve(path)).header("Authorization", "Bearer " + token);
  }

  private static String send(HttpClient client, HttpRequest request)
      throws IOException, InterruptedException {
    HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() / 100 != 2) {
      throw new IllegalStateException(
          "%s %s: %d %s"
              .formatted(request.method(), request.uri(), response.statusCode(), response.body()));
    }
    return response.body();
  }

  private static void awaitReady(HttpClient client, URI base)
      throws IOException, InterruptedException {
    HttpRequest health = HttpRequest.newBuilder(base.resolve("/actuator/health/readiness")).build();
    await(client, health, "artifact-server listens, but does not become ready");
  }

  private static void await(HttpClient client, HttpRequest request, String failure)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + START.toNanos();
    while (client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() != 200) {
      if (System.nanoTime() > deadline) {
        throw new UsageException(failure);
      }
      Thread.sleep(Duration.ofMillis(200));
    }
  }

  /** A server that was killed leaves its database running. */
  private void stopOrphanedDatabase() {
    Path pidFile = data.resolve("postgres").resolve("postmaster.pid");
    try {
      if (!Files.exists(pidFile)) {
        return;
      }
      long pid = Long.parseLong(Files.readAllLines(pidFile).getFirst().strip());
      Optional<ProcessHandle> database =
          ProcessHandle.of(pid)
              .filter(process -> process.info().command().orElse("").startsWith(data.toString()));
      if (database.isPresent()) {
        database.get().destroy();
        database.get().onExit().get(30, TimeUnit.SECONDS);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read " + pidFile, e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("The embedded database does not stop", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public ServerDescription description() {
    return description;
  }

  @Override
  public Optional<Target> target(Scenario.Door door) {
    return switch (door) {
      case PACED -> paced;
      case TOKEN -> Optional.of(token);
      case OPEN, HTTP2 -> Optional.of(open);
    };
  }

  @Override
  public ServerProbe probe() {
    return ServerProbe.of(program.pid());
  }

  @Override
  public void close() {
    program.close();
    stopOrphanedDatabase();
    Site.delete(data);
  }
}
