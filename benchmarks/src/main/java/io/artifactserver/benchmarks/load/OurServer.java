package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.ServerDescription;
import io.artifactserver.benchmarks.load.Scenario.Door;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
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
final class OurServer {
  /** The server as it comes. */
  static final String PLAIN = "artifact-server";

  /** The same with encrypted repositories. */
  static final String ENCRYPTED = "artifact-server encrypted";

  /** Where the file is for everybody. */
  static final String OPEN_PATH = "/artifacts/load/file";

  private static final Duration START = Duration.ofMinutes(10);
  private static final Pattern TOKEN = Pattern.compile("\"token\"\\s*:\\s*\"([^\"]+)\"");

  private OurServer() {}

  /**
   * Starts it, and puts the file there.
   *
   * @param name {@code plain}, {@code encrypted}, {@code watched}, or another; those that end in
   *     {@code encrypted} have encrypted repositories, those that end in {@code watched} open pages
   *     of the console
   * @param properties for its command line
   * @param commit of its sources; empty if unknown
   */
  static Server start(
      String name, List<String> properties, Path launcher, String commit, Site site) {
    if (!Files.isExecutable(launcher)) {
      throw new UsageException(
          "There is no launcher at %s: say where it is with --launcher".formatted(launcher));
    }
    String label = name.equals("plain") ? PLAIN : PLAIN + " " + name;
    String fileName = label.replace(' ', '-');
    Path data = site.folder().resolve(fileName + "-data");
    Site.delete(data);
    int port = Program.freePort();
    List<String> command =
        new ArrayList<>(
            List.of(
                launcher.toAbsolutePath().toString(),
                "--server.port=" + port,
                "--server.address=127.0.0.1",
                "--artifact-server.data-dir=" + data,
                "--artifact-server.http2.cleartext=true",
                // Deriving would go on while downloads are measured: chunks are waited for.
                "--artifact-server.derive.enabled=" + site.chunks().isPresent(),
                "--artifact-server.derive.share=1"));
    site.certificate()
        .ifPresent(files -> {
          command.add("--artifact-server.tls.certificate=" + files.certificate());
          command.add("--artifact-server.tls.private-key=" + files.key());
        });
    command.addAll(properties);
    Program program =
        Program.start(label, command, Map.of(), site.folder().resolve(fileName + ".log"));
    try (HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .sslContext(new TrustingTls().context())
            .build()) {
      program.awaitPort(port, START);
      URI base = URI.create("%s://127.0.0.1:%d".formatted(site.scheme(), port));
      await(client, base.resolve("/actuator/health/readiness"), "become ready");
      String operator = Files.readString(data.resolve("operator-token")).strip();
      Operator api = new Operator(client, base.resolve("/api/v1/"), operator);
      Map<Door, Target> doors = fill(api, base, site, name.endsWith("encrypted"));
      Runnable pages = name.endsWith("watched") ? OpenPages.of(base, operator)::close : () -> {};
      return new Server(
          new ServerDescription(
              label,
              PLAIN,
              true,
              commit,
              ("./artifact-server " + String.join(" ", command.subList(1, command.size())))
                  .replace(site.folder().toString(), "FOLDER")),
          doors,
          ServerProbe.of(program.pid()),
          () -> {
            try {
              // While there is a server that takes them.
              pages.run();
            } finally {
              program.close();
              stopOrphanedDatabase(data);
              Site.delete(data);
            }
          });
    } catch (IOException e) {
      program.close();
      throw new UncheckedIOException("Cannot upload the file", e);
    } catch (InterruptedException e) {
      program.close();
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted", e);
    } catch (RuntimeException e) {
      program.close();
      throw e;
    }
  }

  /** Makes the repositories, and returns where the file is. */
  private static Map<Door, Target> fill(Operator api, URI base, Site site, boolean encrypted)
      throws IOException, InterruptedException {
    Map<Door, Target> doors = new HashMap<>();
    api.make("load", true, encrypted, site);
    Target open = new Target(base.resolve(OPEN_PATH), "");
    doors.put(Door.OPEN, open);
    doors.put(Door.CHANNEL, open);
    doors.put(Door.HTTP2, open);
    api.send(
        "PUT",
        "repositories/load/artifacts/" + Polls.RELEASE + "/board",
        "application/octet-stream",
        BodyPublishers.ofString(Polls.BUNDLE));
    api.json(
        "PUT",
        "repositories/load/channels/stable",
        "{\"release\": \"%s\"}".formatted(Polls.RELEASE));
    api.make("load-private", false, encrypted, site);
    String answer =
        api.json("POST", "tokens", "{\"name\": \"load\", \"repositories\": [\"load-private\"]}");
    Matcher token = TOKEN.matcher(answer);
    if (!token.find()) {
      throw new IllegalStateException("The server gave no token: " + answer);
    }
    doors.put(
        Door.TOKEN,
        new Target(base.resolve("/artifacts/load-private/file"), "Bearer " + token.group(1)));
    if (site.paced()) {
      api.make("load-paced", true, encrypted, site);
      String limit = "{\"bytesPerSecond\": %d}".formatted(PacedReaders.LIMIT);
      api.json("PUT", "repositories/load-paced/limits", limit);
      doors.put(Door.PACED, new Target(base.resolve("/artifacts/load-paced/file"), ""));
    }
    if (site.chunks().isPresent()) {
      Path image = site.chunks().get().image();
      String path = ChunkStore.FOLDER + "/" + image.getFileName();
      api.upload("repositories/load/artifacts/" + path, image);
      await(api.client, base.resolve("/artifacts/load/" + path + ".caibx"), "derive chunks");
    }
    return doors;
  }

  /** Asks until the answer is 200. */
  private static void await(HttpClient client, URI uri, String purpose)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + START.toNanos();
    HttpRequest request = HttpRequest.newBuilder(uri).build();
    while (client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() != 200) {
      if (System.nanoTime() > deadline) {
        throw new UsageException("artifact-server listens, but does not " + purpose);
      }
      Thread.sleep(Duration.ofMillis(200));
    }
  }

  /** The operator's part of the API. */
  private record Operator(HttpClient client, URI api, String token) {
    /** Makes a repository that has the file. */
    void make(String name, boolean isPublic, boolean encrypted, Site site)
        throws IOException, InterruptedException {
      json(
          "POST",
          "repositories",
          "{\"name\": \"%s\", \"public\": %s, \"encrypted\": %s}"
              .formatted(name, isPublic, encrypted));
      String repository = "repositories/" + name;
      json("PUT", repository + "/forms", "{\"paths\": [\"%s/*\"]}".formatted(ChunkStore.FOLDER));
      upload(repository + "/artifacts/file", site.file());
    }

    String json(String method, String path, String body) throws IOException, InterruptedException {
      return send(method, path, "application/json", BodyPublishers.ofString(body));
    }

    void upload(String path, Path file) throws IOException, InterruptedException {
      send("PUT", path, "application/octet-stream", BodyPublishers.ofFile(file));
    }

    /** Returns the body of an answer that is a success. */
    private String send(String method, String path, String mediaType, BodyPublisher body)
        throws IOException, InterruptedException {
      HttpRequest request =
          HttpRequest.newBuilder(api.resolve(path))
              .header("Authorization", "Bearer " + token)
              .header("Content-Type", mediaType)
              .method(method, body)
              .build();
      HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() / 100 != 2) {
        throw new IllegalStateException(
            "%s %s: %d %s".formatted(method, path, response.statusCode(), response.body()));
      }
      return response.body();
    }
  }

  /** A server that was killed leaves its database running. */
  private static void stopOrphanedDatabase(Path data) {
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
}
