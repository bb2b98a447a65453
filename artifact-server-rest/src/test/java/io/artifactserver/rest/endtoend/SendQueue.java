package io.artifactserver.rest.endtoend;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

  /** The queue of a socket that listens is one of connections. */
  private static final String LISTENS = "0A";

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

  /** Bytes that one side of a connection to the server has written and the other has not read. */
  static long allOf(int server) throws IOException {
    String port = port(server);
    long sum = 0;
    for (String[] columns : connections()) {
      if (columns[1].endsWith(port) || columns[2].endsWith(port)) {
        sum += toSend(columns) + toRead(columns);
      }
    }
    return sum;
  }

  /** In bytes; -1 when there is no such connection any more. */
  private long length() throws IOException {
    for (String[] columns : connections()) {
      if (columns[1].endsWith(port(server)) && columns[2].endsWith(port(client))) {
        return toSend(columns);
      }
    }
    return -1;
  }

  /** Number, own address, other address, state, queue to send and queue to read. */
  private static List<String[]> connections() throws IOException {
    List<String[]> connections = new ArrayList<>();
    for (Path table : TABLES) {
      Files.readAllLines(table).stream()
          .skip(1)
          .map(line -> line.strip().split(" +"))
          .filter(columns -> !columns[3].equals(LISTENS))
          .forEach(connections::add);
    }
    return connections;
  }

  private static String port(int number) {
    return ":%04X".formatted(number);
  }

  private static long toSend(String[] columns) {
    return Long.parseLong(columns[4].substring(0, 8), 16);
  }

  private static long toRead(String[] columns) {
    return Long.parseLong(columns[4].substring(9), 16);
  }
}
