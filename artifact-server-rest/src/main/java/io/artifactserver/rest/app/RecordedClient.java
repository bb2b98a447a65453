package io.artifactserver.rest.app;

import io.artifactserver.rest.command.Commands;
import java.util.List;

/** Uploads and downloads a file, for {@code record-start}: later clients start sooner. */
public final class RecordedClient {
  private RecordedClient() {}

  /**
   * Runs {@code push} and then {@code pull} with each server.
   *
   * @param arguments the file; then for each server its address, the file of a token, and the file
   *     of an authority, which is not asked for where there is no TLS
   */
  public static void main(String[] arguments) {
    for (int i = 1; i < arguments.length; i += 3) {
      List<String> server =
          List.of(
              "--server", arguments[i], "--token-file", arguments[i + 1], "--ca", arguments[i + 2]);
      run(List.of("push", arguments[0], "plain/recorded"), server);
      run(List.of("pull", "plain/recorded", "-o", arguments[0] + i), server);
    }
  }

  private static void run(List<String> command, List<String> server) {
    String[] all = new String[command.size() + server.size()];
    for (int i = 0; i < all.length; i++) {
      all[i] = i < command.size() ? command.get(i) : server.get(i - command.size());
    }
    int status = Commands.line(command, System.getenv()).execute(all);
    if (status != 0) {
      throw new IllegalStateException(command + " ended with " + status);
    }
  }
}
