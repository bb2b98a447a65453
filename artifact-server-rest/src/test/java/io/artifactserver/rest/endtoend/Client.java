package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.program.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** Runs installed programs in a folder, without the machine's proxies and their own settings. */
final class Client {
  private static final long TIMEOUT_SECONDS = 120;

  /** Debian's file of those whom programs trust that cannot be told. */
  private static final Path TRUSTED = Path.of("/etc/ssl/certs/ca-certificates.crt");

  private final Path folder;
  private final @Nullable Endpoint endpoint;

  Client(Path folder) {
    this.folder = folder;
    this.endpoint = null;
  }

  /**
   * @param endpoint that programs are to reach: they use its transport, and trust its authority
   */
  Client(Path folder, Endpoint endpoint) {
    this.folder = folder;
    this.endpoint = endpoint;
  }

  /** The result of a program; both its streams as one text. */
  record Result(int exitCode, String output) {}

  /** Runs a program that has to succeed; returns what it printed. */
  String succeeds(String... command) throws IOException, InterruptedException {
    Result result = run(command);
    assertThat(result.exitCode()).as("%s%n%s", String.join(" ", command), result.output()).isZero();
    return result.output();
  }

  Result run(String... command) throws IOException, InterruptedException {
    Path output = Files.createTempFile(folder, "output-", ".log");
    Process process =
        builder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    process.getOutputStream().close();
    if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(
          "%s did not end:%n%s".formatted(String.join(" ", command), Files.readString(output)));
    }
    return new Result(process.exitValue(), Files.readString(output));
  }

  /** A program that is talked to. */
  ProcessBuilder builder(String... command) {
    ProcessBuilder builder = new ProcessBuilder(told(command)).directory(folder.toFile());
    Map<String, String> environment = builder.environment();
    for (String name : new ArrayList<>(environment.keySet())) {
      if (name.toLowerCase(Locale.ROOT).endsWith("_proxy")) {
        environment.remove(name);
      }
    }
    Programs.extendPath(environment);
    environment.putAll(Map.of("HOME", folder.toString(), "LC_ALL", "C.UTF-8"));
    if (endpoint != null && endpoint.transport().isSecured()) {
      String authority = endpoint.authorityFile().toString();
      // For OpenSSL, of which axel is made, for Node.js and for Python's requests.
      environment.put("SSL_CERT_FILE", authority);
      environment.put("NODE_EXTRA_CA_CERTS", authority);
      environment.put("REQUESTS_CA_BUNDLE", authority);
    }
    return builder;
  }

  /** The command, and how its program is told of the transport. */
  private List<String> told(String... command) {
    List<String> told = new ArrayList<>(List.of(command));
    if (endpoint == null) {
      return told;
    }
    Transport transport = endpoint.transport();
    if (command[0].equals("curl")) {
      told.addAll(1, curlOptions(transport));
    }
    if (transport.isSecured()) {
      String authority = endpoint.authorityFile().toString();
      switch (command[0]) {
        case "curl" -> told.addAll(1, List.of("--cacert", authority));
        case "wget", "wget2", "aria2c" -> told.add(1, "--ca-certificate=" + authority);
        case "nbdkit" -> told.add(told.indexOf("curl") + 1, "cainfo=" + authority);
        case "desync" -> {
          if (command[1].equals("extract")) {
            told.add(2, "--ca-cert=" + authority);
          }
        }
        case "casync", "qemu-img", "rauc", "zckdl" -> told.addAll(0, trusting(authority));
        default -> {
          // Knows its authority from its environment or its configuration.
        }
      }
    }
    return told;
  }

  private static List<String> curlOptions(Transport transport) {
    return switch (transport) {
      case HTTP1 -> List.of("--http1.1");
      case H2C -> List.of("--http2-prior-knowledge");
      case TLS12 -> List.of("--http1.1", "--tlsv1.2", "--tls-max", "1.2");
      case TLS13 -> List.of("--http1.1", "--tlsv1.3");
      case H2 -> List.of("--http2", "--tlsv1.3");
    };
  }

  /** Runs a program where the system's authorities are another one: in a mount namespace. */
  static List<String> trusting(String authority) {
    boolean isPossible;
    try {
      isPossible =
          Files.exists(TRUSTED)
              && new ProcessBuilder("unshare", "-rm", "true").start().waitFor() == 0;
    } catch (IOException e) {
      isPossible = false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    Assumptions.assumeTrue(
        isPossible, "No mount namespaces, or no file of trusted authorities: not tested with TLS");
    return List.of(
        "unshare",
        "-rm",
        "sh",
        "-c",
        "mount --bind \"$0\" " + TRUSTED + " && exec \"$@\"",
        authority);
  }
}
