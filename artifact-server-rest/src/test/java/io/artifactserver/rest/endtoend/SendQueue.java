package io.artifactserver.rest.endtoend;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The bytes that a server on this machine has written to a connection and its client has not taken
 * (proc(5), net/tcp). Thread-safe.
 *
 * @param server port of the server
 * @param client port of the client
 */
record SendQueue(int server, int client) {
  private static final List<Path> TABLES =
      List.of(Path.of("/proc/net/tcp6"), Path.of("/proc/net/tcp"));

  private static final int POLL_NANOS = 5_000_000;

  /** A queue that is no longer for so many polls is full. */
  private static final int QUIET_POLLS = 10;

  private static final int MAX_POLLS = 200;

  static SendQueue of(Socket client) {
    return new SendQueue(client.getPort(), client.getLocalPort());
  }

  /**
   * Returns when the server has written as much as the connection takes, or has closed it; or after
   * a second, in case all that there is to write fits into the client's buffer.
   */
  void awaitFull() throws IOException {
    long last = 0;
    int quiet = 0;
    for (int poll = 0; poll < MAX_POLLS && quiet < QUIET_POLLS; poll++) {
      LockSupport.parkNanos(POLL_NANOS);
      long now = length();
      quiet = now == last && now != 0 ? quiet + 1 : 0;
      last = now;
    }
  }

  /** In bytes; -1 when there is no such connection any more. */
  private long length() throws IOException {
    String own = ":%04X".formatted(server);
    String other = ":%04X".formatted(client);
    for (Path table : TABLES) {
      for (String line : Files.readAllLines(table)) {
        // Number, own address, other address, state, queue to send and queue to read.
        String[] columns = line.strip().split(" +");
        if (columns[1].endsWith(own) && columns[2].endsWith(other)) {
          return Long.parseLong(columns[4].substring(0, 8), 16);
        }
      }
    }
    return -1;
  }
}
