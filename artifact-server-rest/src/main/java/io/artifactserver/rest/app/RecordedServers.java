package io.artifactserver.rest.app;

import java.util.Arrays;
import java.util.List;

/**
 * Starts two servers in one process, for {@code record-start}: Java makes its record from one
 * process, and a server speaks either plain HTTP or TLS.
 */
public final class RecordedServers {
  private static final String SEPARATOR = "--";

  private RecordedServers() {}

  /**
   * Runs both until the process is stopped.
   *
   * @param arguments of the first server, then {@code --}, then those of the second
   */
  public static void main(String[] arguments) {
    int separator = List.of(arguments).indexOf(SEPARATOR);
    ArtifactServerApplication.main(Arrays.copyOf(arguments, separator));
    ArtifactServerApplication.main(Arrays.copyOfRange(arguments, separator + 1, arguments.length));
  }
}
