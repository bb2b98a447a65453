package io.artifactserver.core.testserver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/**
 * Ports for servers that tests start as processes of their own, and start again. Thread-safe.
 *
 * <p>A port that the system picks ({@code new ServerSocket(0)}) can be taken by any connection
 * between the pick and the server's start. These ports lie below those that Linux gives to
 * connections (32768 and above, {@code net.ipv4.ip_local_port_range}), and each is reserved for
 * this process until it ends.
 */
public final class Ports {
  private static final int FIRST = 20_000;
  private static final int COUNT = 12_000;

  private static int next = new Random().nextInt(COUNT);

  /** A port is reserved by the lock on the byte at its position. */
  private static final FileChannel RESERVATIONS = reservations();

  private Ports() {}

  /** Returns a port on which nothing listens, and which is given to no other caller. */
  public static synchronized int reserve() {
    for (int tries = 0; tries < COUNT; tries++) {
      int port = FIRST + next;
      next = (next + 1) % COUNT;
      if (isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException(
        "No port from %d to %d is free".formatted(FIRST, FIRST + COUNT - 1));
  }

  private static boolean isFree(int port) {
    try {
      if (RESERVATIONS.tryLock(port, 1, false) == null) {
        return false;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      // Another program has it.
      return false;
    }
  }

  private static FileChannel reservations() {
    Path file =
        Path.of(
            System.getProperty("java.io.tmpdir"),
            "artifact-server-test-ports-" + System.getProperty("user.name"));
    try {
      return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
