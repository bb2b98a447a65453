package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.program.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs installed programs in a folder, without the machine's proxies and their own settings. */
final class Client {
  private static final long TIMEOUT_SECONDS = 120;

  private final Path folder;

  Client(Path folder) {
    this.folder = folder;
  }

  /** What a program left behind; both its streams as one text. */
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
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    Map<String, String> environment = builder.environment();
    for (String name : new ArrayList<>(environment.keySet())) {
      if (name.toLowerCase(Locale.ROOT).endsWith("_proxy")) {
        environment.remove(name);
      }
    }
    Programs.extendPath(environment);
    environment.putAll(Map.of("HOME", folder.toString(), "LC_ALL", "C.UTF-8"));
    return builder;
  }
}
