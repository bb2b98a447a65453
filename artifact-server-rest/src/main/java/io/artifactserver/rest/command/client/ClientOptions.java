package io.artifactserver.rest.command.client;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that {@code push} and {@code pull} share. Filled by picocli. */
final class ClientOptions {
  static final int DEFAULT_PARALLEL = 8;

  /** For the footer of both commands. */
  static final String SETTINGS =
      "%nServer and token come from the options, else from ARTIFACT_SERVER_URL and"
          + " ARTIFACT_SERVER_TOKEN, else from the profile, a file of \"server=\", \"token=\" or"
          + " \"token-file=\", and \"ca=\". Its token goes to its server only.";

  /** For the footer of both commands. */
  static final String STATUS =
      "%nExit status:%n"
          + "  0  the bytes are there, and their SHA-256 is right%n"
          + "  1  failed; the same command goes on where this one was%n"
          + "  2  the arguments or settings are no good%n"
          + "  3  the server does not accept the token, or the token may not do this%n"
          + "  4  there is no such repository, artifact or file%n"
          + "  5  the path has other bytes, or the bytes have another SHA-256";

  @Option(names = "--server", paramLabel = "URL", description = "such as https://host:8080")
  @Nullable String server;

  @Option(names = "--token-file", paramLabel = "FILE", description = "file with the token")
  @Nullable Path tokenFile;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description = "PEM file of authorities to trust in place of the system's")
  @Nullable Path authorities;

  @Option(
      names = "--profile",
      paramLabel = "FILE",
      description = "settings (default: ~/.config/artifact-server/client.properties)")
  @Nullable Path profile;

  @Option(
      names = "--parallel",
      paramLabel = "N",
      description = "connections for one file, 1 to 32 (default: 8, and 1 if the server is near)")
  @Nullable Integer parallel;

  @Option(names = "--json", description = "print a line of JSON for each file")
  boolean isJson;

  @Option(
      names = {"-q", "--quiet"},
      description = "print errors only")
  boolean isQuiet;

  int parallel() {
    return parallel == null ? DEFAULT_PARALLEL : parallel;
  }
}
