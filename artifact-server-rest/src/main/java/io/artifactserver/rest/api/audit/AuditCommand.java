package io.artifactserver.rest.api.audit;

import io.artifactserver.core.audit.AuditRecord;
import io.artifactserver.core.command.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Verifies the audit of a running server, or an export of it. The digests are computed here, so the
 * server is not believed. Used once, by one thread.
 */
@CommandLine.Command(
    name = "audit",
    mixinStandardHelpOptions = true,
    description = "Checks the audit, the record of who changed what.")
public final class AuditCommand implements Command {
  private static final int FAILED = 1;

  @Spec private CommandSpec spec;

  /** For {@link java.util.ServiceLoader}. */
  public AuditCommand() {}

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "name verify");
  }

  @CommandLine.Command(
      mixinStandardHelpOptions = true,
      description =
          "Check that no entry was changed, removed or inserted; the status is 1 if one was.")
  int verify(
      @Option(
              names = "--artifact-server.data-dir",
              paramLabel = "FOLDER",
              defaultValue = "./data",
              description = "the server's data folder, for the operator's token (default: ./data)")
          Path dataFolder,
      @Option(
              names = "--server.port",
              paramLabel = "PORT",
              defaultValue = "8080",
              description = "port of the running server (default: 8080)")
          int port,
      @Option(
              names = "--server",
              paramLabel = "URL",
              defaultValue = "",
              description = "the running server, if it is on another machine")
          String server,
      @Option(
              names = "--file",
              paramLabel = "FILE",
              description = "an export to verify in place of a server's audit")
          @Nullable Path file,
      @Option(
              names = "--kept",
              paramLabel = "DIGEST",
              defaultValue = "",
              description =
                  "last digest of an earlier run: its entry has to be there still, or the end was"
                      + " cut off or everything was written again")
          String kept)
      throws IOException, InterruptedException {
    AuditChain chain = new AuditChain(kept);
    Optional<String> broken =
        file == null
            ? verifyServer(
                server.isEmpty() ? "http://127.0.0.1:" + port : server, dataFolder, chain)
            : verifyFile(file, chain);
    broken = broken.or(chain::end);
    if (broken.isPresent()) {
      spec.commandLine().getErr().println(broken.get() + '.');
      return FAILED;
    }
    spec.commandLine()
        .getOut()
        .println(
            "%d entries, unbroken%s. The last digest is %s; keep it elsewhere to notice if the end is ever cut off."
                .formatted(
                    chain.length(),
                    chain.removed() == 0
                        ? ""
                        : "; the server removed the %d before them, and the audit has that"
                            .formatted(chain.removed()),
                    chain.digest()));
    return 0;
  }

  private static Optional<String> verifyFile(Path file, AuditChain chain) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      Optional<String> broken = verify(lines, chain);
      return chain.lastId() > 0 ? broken : broken.or(() -> Optional.of(file + " has no entry"));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static Optional<String> verifyServer(String server, Path dataFolder, AuditChain chain)
      throws IOException, InterruptedException {
    String token = Files.readString(dataFolder.resolve("operator-token")).strip();
    try (HttpClient client =
        HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build()) {
      while (true) {
        List<String> lines = page(client, server, token, chain.lastId());
        Optional<String> broken = verify(lines.stream(), chain);
        if (broken.isPresent() || lines.isEmpty()) {
          return broken;
        }
      }
    }
  }

  private static List<String> page(HttpClient client, String server, String token, long after)
      throws IOException, InterruptedException {
    URI uri = URI.create(server + "/api/v1/audit?after=" + after);
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(uri)
                .header("Authorization", "Bearer " + token)
                .timeout(Duration.ofSeconds(60))
                .build(),
            BodyHandlers.ofString(StandardCharsets.UTF_8));
    if (answer.statusCode() != 200) {
      throw new IOException(
          "%s answered %d: %s".formatted(uri, answer.statusCode(), answer.body()));
    }
    return answer.body().lines().toList();
  }

  private static Optional<String> verify(Stream<String> lines, AuditChain chain) {
    return lines.map(line -> add(line, chain)).flatMap(Optional::stream).findFirst();
  }

  private static Optional<String> add(String line, AuditChain chain) {
    try {
      AuditRecord record = AuditLines.parse(line);
      Optional<String> broken = chain.add(record);
      return broken.isPresent() || AuditLines.says(line, record)
          ? broken
          : Optional.of(
              "Entry %d was changed: its line differs from what its digest covers"
                  .formatted(record.id()));
    } catch (IllegalArgumentException e) {
      return Optional.of("The line after entry %d is %s".formatted(chain.lastId(), e.getMessage()));
    }
  }
}
