package io.artifactserver.rest.server.guard;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The kernel's view of each connection: whether the peer has closed or reset it, how many bytes are
 * kept because the peer has not confirmed them, and how many of its own nobody has read. A socket
 * asks for more only when a third of its buffer is free again, which may be megabytes: a slow
 * client takes minutes for them, in which it looks as dead as one that is away.
 */
final class KernelSockets {
  private static final List<Path> TABLES =
      List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
  private static final int LOCAL = 1;
  private static final int REMOTE = 2;
  private static final int STATE = 3;
  private static final int QUEUES = 4;

  /** The peer has closed its side, and this one has not. */
  private static final String CLOSE_WAIT = "08";

  private static final int HEX = 16;

  private final Map<Key, Queues> queues;
  private final Set<Key> closed;
  private final Set<Integer> localPorts;

  private KernelSockets(Map<Key, Queues> queues, Set<Key> closed) {
    this.queues = queues;
    this.closed = closed;
    this.localPorts = queues.keySet().stream().map(Key::localPort).collect(Collectors.toSet());
  }

  /** Asks the kernel for all connections: a millisecond for a thousand. Only Linux answers. */
  static KernelSockets read() {
    return read(TABLES);
  }

  /** Reads tables in the format of {@code /proc/net/tcp}; those that are not there are empty. */
  static KernelSockets read(List<Path> tables) {
    Map<Key, Queues> queues = new HashMap<>();
    Set<Key> closed = new HashSet<>();
    for (Path table : tables) {
      try (BufferedReader lines = Files.newBufferedReader(table, StandardCharsets.US_ASCII)) {
        lines.readLine();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          String[] fields = line.strip().split(" +", QUEUES + 2);
          String lengths = fields[QUEUES];
          int colon = lengths.indexOf(':');
          InetSocketAddress local = address(fields[LOCAL]);
          Key key = new Key(local.getPort(), address(fields[REMOTE]));
          queues.put(
              key,
              new Queues(
                  Long.parseLong(lengths, 0, colon, HEX),
                  Long.parseLong(lengths, colon + 1, lengths.length(), HEX)));
          if (fields[STATE].equals(CLOSE_WAIT)) {
            closed.add(key);
          }
        }
      } catch (IOException | RuntimeException _) {
        // Another system, or one that hides it: then nobody knows.
      }
    }
    return new KernelSockets(queues, closed);
  }

  /** Returns how many bytes the peer has not confirmed; empty if the kernel does not tell. */
  Optional<Long> unconfirmed(int localPort, InetSocketAddress remote) {
    return Optional.ofNullable(queues.get(new Key(localPort, remote))).map(Queues::unconfirmed);
  }

  /** Whether the kernel has bytes of the peer that the server has not read. */
  boolean hasUnread(int localPort, InetSocketAddress remote) {
    Queues known = queues.get(new Key(localPort, remote));
    return known != null && known.unread > 0;
  }

  /** Whether the kernel tells that the peer has closed the connection. */
  boolean isClosedByPeer(int localPort, InetSocketAddress remote) {
    return closed.contains(new Key(localPort, remote));
  }

  /**
   * Whether the kernel knows sockets of that port, and not this one: the peer has reset it. Rarely
   * the kernel leaves one out, and one that is newer is missing too: ask twice.
   */
  boolean isMissing(int localPort, InetSocketAddress remote) {
    return localPorts.contains(localPort) && !queues.containsKey(new Key(localPort, remote));
  }

  /** {@code 0100007F:1F90} is 127.0.0.1, port 8080: the address in words of the machine's order. */
  private static InetSocketAddress address(String text) throws IOException {
    int colon = text.indexOf(':');
    ByteBuffer address = ByteBuffer.wrap(HexFormat.of().parseHex(text.substring(0, colon)));
    for (int word = 0; word < address.limit(); word += Integer.BYTES) {
      address.putInt(word, Integer.reverseBytes(address.getInt(word)));
    }
    int port = Integer.parseInt(text.substring(colon + 1), HEX);
    return new InetSocketAddress(InetAddress.getByAddress(address.array()), port);
  }

  private record Key(int localPort, InetSocketAddress remote) {}

  private record Queues(long unconfirmed, long unread) {}
}
