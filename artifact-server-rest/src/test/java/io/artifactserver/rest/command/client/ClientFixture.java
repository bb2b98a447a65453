package io.artifactserver.rest.command.client;

import io.artifactserver.core.command.Command;
import io.artifactserver.rest.command.Commands;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Runs the commands in this process, against a fake server. */
abstract class ClientFixture {
  @TempDir Path folder;

  final FakeServer server;

  ClientFixture() {
    try {
      server = new FakeServer();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @BeforeEach
  void realFolder() throws IOException {
    folder = folder.toRealPath();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  record Run(int status, String output, String errors) {}

  Run push(Object... arguments) {
    return run(new PushCommand(environment()), arguments);
  }

  Run pull(Object... arguments) {
    return run(new PullCommand(environment()), arguments);
  }

  Path states() {
    return folder.resolve("home/.local/state/artifact-server/uploads");
  }

  private Map<String, String> environment() {
    return Map.of(
        "HOME",
        folder.resolve("home").toString(),
        "ARTIFACT_SERVER_URL",
        server.uri().toString(),
        "ARTIFACT_SERVER_TOKEN",
        "secret");
  }

  private static Run run(Command command, Object... arguments) {
    StringWriter output = new StringWriter();
    StringWriter errors = new StringWriter();
    String[] texts = new String[arguments.length];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = arguments[i].toString();
    }
    int status =
        Commands.line(command, Map.of())
            .setOut(new PrintWriter(output, true))
            .setErr(new PrintWriter(errors, true))
            .execute(texts);
    return new Run(status, output.toString(), errors.toString());
  }
}
