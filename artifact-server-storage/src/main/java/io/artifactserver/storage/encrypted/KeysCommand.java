package io.artifactserver.storage.encrypted;

import io.artifactserver.core.command.Command;
import io.artifactserver.core.file.DurableFiles;
import io.artifactserver.storage.backend.SetupException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * Makes, rotates and lists the key ring in its file, without a server; a key is removed by the
 * running server, which alone knows whether a data key needs it. Never prints a key. Used once, by
 * one thread.
 */
@CommandLine.Command(
    name = "keys",
    mixinStandardHelpOptions = true,
    description = "Manages the keys of encrypted repositories.")
public final class KeysCommand implements Command {
  private static final int FAILED = 1;

  @Spec private CommandSpec spec;

  @Option(
      names = "--artifact-server.data-dir",
      scope = ScopeType.INHERIT,
      paramLabel = "FOLDER",
      defaultValue = "./data",
      description = "the server's data folder (default: ./data)")
  private Path dataFolder = Path.of("data");

  @Option(
      names = "--artifact-server.encryption.key-file",
      scope = ScopeType.INHERIT,
      paramLabel = "FILE",
      defaultValue = "",
      description = "the key ring (default: keys.json in the data folder)")
  private String keyFile = "";

  @Option(
      names = "--artifact-server.encryption.kms-uri",
      scope = ScopeType.INHERIT,
      paramLabel = "URI",
      defaultValue = "",
      description = "the KMS that encrypts the ring, if one does")
  private String kmsUri = "";

  /** For {@link java.util.ServiceLoader}. */
  public KeysCommand() {}

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "name one of create, list, rotate and remove");
  }

  @CommandLine.Command(
      mixinStandardHelpOptions = true,
      description = "Make the key ring, if there is none.")
  int create() throws GeneralSecurityException, IOException {
    KeyRingFile file = file();
    // As the server makes its data folder.
    DurableFiles.createFolder(Objects.requireNonNull(file.path().getParent()));
    file.create(Keyset.generate(Instant.now()));
    output().println("Made the key ring " + file.path());
    output().println("Back it up, apart from the data: encrypted artifacts are lost without it.");
    return 0;
  }

  @CommandLine.Command(
      mixinStandardHelpOptions = true,
      description = "Add a key, and wrap new data keys with it.")
  int rotate() {
    KeyRingFile file = file();
    Keyset rotated = file.change(before -> before.rotated(Instant.now()));
    output().println("Key " + rotated.primary() + " is the primary one of " + file.path());
    output()
        .println(
            "Back the file up again. A running server sees the key within seconds and wraps every"
                + " data key with it; a stopped server does so at its next start.");
    return 0;
  }

  @CommandLine.Command(
      mixinStandardHelpOptions = true,
      description = "List the keys by id and time of creation, without the keys themselves.")
  int list() {
    Keyset keyset = file().read();
    output().println("id          created               primary");
    for (long id : keyset.ids()) {
      String created = keyset.created(id);
      output()
          .println(
              "%-10d  %-20s  %s"
                  .formatted(
                      id,
                      created.isEmpty() ? "unknown" : created,
                      id == keyset.primary() ? "yes" : ""));
    }
    return 0;
  }

  @CommandLine.Command(
      mixinStandardHelpOptions = true,
      description = "Have the running server remove a key that no data key needs.")
  int remove(
      @Parameters(paramLabel = "ID", description = "id of the key, as \"keys list\" prints it")
          long id,
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
          String server)
      throws IOException, InterruptedException {
    URI uri =
        URI.create(
            (server.isEmpty() ? "http://127.0.0.1:" + port : server)
                + "/api/v1/encryption/keys/"
                + id);
    Path tokenFile = dataFolder.resolve("operator-token");
    if (!Files.isReadable(tokenFile)) {
      throw new SetupException(
          "The operator's token is not in %s; name the data folder of the running server"
              .formatted(tokenFile));
    }
    HttpResponse<String> answer = delete(uri, Files.readString(tokenFile).strip());
    if (answer.statusCode() != 204) {
      spec.commandLine()
          .getErr()
          .println("The server answered %d: %s".formatted(answer.statusCode(), answer.body()));
      return FAILED;
    }
    output().println("Removed key " + id + " from the ring. Destroy its backups, too.");
    return 0;
  }

  private static HttpResponse<String> delete(URI uri, String token) throws InterruptedException {
    try (HttpClient client =
        HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build()) {
      return client.send(
          HttpRequest.newBuilder(uri)
              .header("Authorization", "Bearer " + token)
              .timeout(Duration.ofSeconds(60))
              .DELETE()
              .build(),
          HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new SetupException(
          "No server answers at %s (%s). Only a running server knows whether a data key needs the"
                  .formatted(uri, e)
              + " key; start it, or name it with --server.port.",
          e);
    }
  }

  private KeyRingFile file() {
    Path path =
        keyFile.isEmpty()
            ? dataFolder.resolve(EncryptionAutoConfiguration.KEY_FILE)
            : Path.of(keyFile);
    return KeyRingFile.of(path, kmsUri);
  }

  private PrintWriter output() {
    return spec.commandLine().getOut();
  }
}
