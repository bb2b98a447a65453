package io.artifactserver.storage.encrypted;

import io.artifactserver.core.command.Command;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Makes, rotates and lists the key ring in its file, without a server; a key is removed by the
 * running server, which alone knows whether a data key needs it. Immutable, thread-safe. Never
 * prints a key.
 */
public final class KeysCommand implements Command {
  private static final String DATA_FOLDER = "artifact-server.data-dir";
  private static final String KEY_FILE = "artifact-server.encryption.key-file";
  private static final String KMS_URI = "artifact-server.encryption.kms-uri";
  private static final String SERVER = "server";
  private static final String SERVER_PORT = "server.port";
  private static final Map<String, String> DEFAULTS =
      Map.of(DATA_FOLDER, "./data", KEY_FILE, "", KMS_URI, "", SERVER_PORT, "8080", SERVER, "");
  private static final int FAILED = 1;
  private static final int MISUSED = 2;
  private static final String HELP =
      """
      ./artifact-server keys create        make the key ring, if there is none
      ./artifact-server keys list          ids and creation of the keys; never the keys
      ./artifact-server keys rotate        add a key, and wrap new data keys with it
      ./artifact-server keys remove ID     have the running server remove a key nobody needs

      Options, the same as the server's:
        --artifact-server.data-dir=./data
        --artifact-server.encryption.key-file=FILE     keys.json in the data folder if left out
        --artifact-server.encryption.kms-uri=URI       if a KMS encrypts the ring
        --server.port=8080                             of the running server (remove only)
        --server=http://127.0.0.1:8080                 the same, elsewhere
      """;

  /** For {@link java.util.ServiceLoader}. */
  public KeysCommand() {}

  @Override
  public String name() {
    return "keys";
  }

  @Override
  public int run(List<String> arguments, PrintStream output, PrintStream errors) {
    List<String> words = new ArrayList<>();
    Map<String, String> options = new HashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      if (!argument.startsWith("--")) {
        words.add(argument);
      } else if (equals > 0 && DEFAULTS.containsKey(argument.substring(2, equals))) {
        options.put(argument.substring(2, equals), argument.substring(equals + 1));
      } else {
        errors.println("artifact-server keys: unknown option " + argument);
        errors.print(HELP);
        return MISUSED;
      }
    }
    try {
      return run(words, options, output, errors);
    } catch (KeyRingException e) {
      errors.println("artifact-server keys: " + e.getMessage());
      return FAILED;
    } catch (GeneralSecurityException | IOException e) {
      errors.println("artifact-server keys: " + e);
      return FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return FAILED;
    }
  }

  private static int run(
      List<String> words, Map<String, String> options, PrintStream output, PrintStream errors)
      throws GeneralSecurityException, IOException, InterruptedException {
    InstantSource clock = InstantSource.system();
    String word = words.isEmpty() ? "help" : words.getFirst();
    int expected = word.equals("remove") ? 2 : 1;
    if (words.size() > expected || (word.equals("remove") && words.size() < expected)) {
      errors.print(HELP);
      return MISUSED;
    }
    return switch (word) {
      case "create" -> create(file(options), clock, output);
      case "rotate" -> rotate(file(options), clock, output);
      case "list" -> list(file(options).read(), output);
      case "remove" -> remove(words.get(1), options, output, errors);
      case "help" -> {
        output.print(HELP);
        yield 0;
      }
      default -> {
        errors.println("artifact-server keys: unknown command \"" + word + '"');
        errors.print(HELP);
        yield MISUSED;
      }
    };
  }

  private static int create(KeyRingFile file, InstantSource clock, PrintStream output)
      throws GeneralSecurityException, IOException {
    // As the server makes its data folder.
    Files.createDirectories(
        Objects.requireNonNull(file.path().getParent()),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    file.create(Keyset.generate(clock.instant()));
    output.println("Made the key ring " + file.path());
    output.println("Back it up, apart from the data: encrypted artifacts are lost without it.");
    return 0;
  }

  private static int rotate(KeyRingFile file, InstantSource clock, PrintStream output) {
    Keyset rotated = file.change(before -> before.rotated(clock.instant()));
    output.println("Key " + rotated.primary() + " is the primary one of " + file.path());
    output.println(
        "Back the file up again. A running server sees it within seconds and wraps the data keys"
            + " anew; one that is stopped, at its next start.");
    return 0;
  }

  private static int list(Keyset keyset, PrintStream output) {
    output.println("id          created               primary");
    for (long id : keyset.ids()) {
      String created = keyset.created(id);
      output.println(
          "%-10d  %-20s  %s"
              .formatted(
                  id,
                  created.isEmpty() ? "unknown" : created,
                  id == keyset.primary() ? "yes" : ""));
    }
    return 0;
  }

  private static int remove(
      String id, Map<String, String> options, PrintStream output, PrintStream errors)
      throws IOException, InterruptedException {
    if (!id.matches("\\d{1,10}")) {
      errors.println("artifact-server keys: \"" + id + "\" is no key's id; list the keys");
      return MISUSED;
    }
    String server = option(options, SERVER);
    URI uri =
        URI.create(
            (server.isEmpty() ? "http://127.0.0.1:" + option(options, SERVER_PORT) : server)
                + "/api/v1/encryption/keys/"
                + id);
    Path tokenFile = Path.of(option(options, DATA_FOLDER), "operator-token");
    if (!Files.isReadable(tokenFile)) {
      errors.println(
          "artifact-server keys: the operator's token is not in "
              + tokenFile
              + "; name the data folder of the running server");
      return FAILED;
    }
    try (HttpClient client =
        HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build()) {
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(uri)
                  .header("Authorization", "Bearer " + Files.readString(tokenFile).strip())
                  .timeout(Duration.ofSeconds(60))
                  .DELETE()
                  .build(),
              HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      if (answer.statusCode() == 204) {
        output.println("Removed key " + id + " from the ring. Destroy its backups, too.");
        return 0;
      }
      errors.println(
          "artifact-server keys: the server answered %d: %s"
              .formatted(answer.statusCode(), answer.body()));
      return FAILED;
    } catch (IOException e) {
      errors.println(
          "artifact-server keys: no server answers at %s (%s). Only a running server knows whether a"
                  .formatted(uri, e)
              + " data key needs the key; start it, or name it with --server.port.");
      return FAILED;
    }
  }

  private static KeyRingFile file(Map<String, String> options) {
    String keyFile = option(options, KEY_FILE);
    Path path =
        keyFile.isEmpty()
            ? Path.of(option(options, DATA_FOLDER), EncryptionAutoConfiguration.KEY_FILE)
            : Path.of(keyFile);
    return KeyRingFile.of(path, option(options, KMS_URI));
  }

  /** An option, the environment variable that Spring Boot reads for it, or its default. */
  private static String option(Map<String, String> options, String name) {
    String dotted = name.replace('.', '_').toUpperCase(Locale.ROOT);
    String fallback = Objects.requireNonNull(DEFAULTS.get(name));
    if (!name.equals(SERVER)) {
      for (String variable : List.of(dotted.replace("-", ""), dotted.replace('-', '_'))) {
        fallback = Objects.requireNonNullElse(System.getenv(variable), fallback);
      }
    }
    return options.getOrDefault(name, fallback);
  }
}
