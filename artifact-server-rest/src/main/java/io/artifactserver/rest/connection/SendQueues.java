package io.artifactserver.rest.connection;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How many bytes the kernel still keeps of each connection because the peer has not confirmed them.
 * A socket asks for more only when a third of its buffer is free again, which may be megabytes: a
 * slow client takes minutes for them, in which it looks as dead as one that is away.
 */
final class SendQueues {
  private static final List<Path> TABLES =
      List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
  private static final int LOCAL = 1;
  private static final int REMOTE = 2;
  private static final int QUEUES = 4;
  private static final int HEX = 16;
  private static final int WORD = 4;

  private final Map<Key, Long> bytes;

  private SendQueues(Map<Key, Long> bytes) {
    this.bytes = bytes;
  }

  /** Asks the kernel for all connections: a millisecond for a thousand. Only Linux answers. */
  static SendQueues read() {
    return read(TABLES);
  }

  /** Reads tables in the format of {@code /proc/net/tcp}; those that are not there are empty. */
  static SendQueues read(List<Path> tables) {
    Map<Key, Long> bytes = new HashMap<>();
    for (Path table : tables) {
      try (BufferedReader lines = Files.newBufferedReader(table, StandardCharsets.US_ASCII)) {
        lines.readLine();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          String[] fields = line.strip().split(" +", QUEUES + 2);
          String queue = fields[QUEUES].substring(0, fields[QUEUES].indexOf(':'));
          InetSocketAddress local = address(fields[LOCAL]);
          bytes.put(new Key(local.getPort(), address(fields[REMOTE])), Long.parseLong(queue, HEX));
        }
      } catch (IOException | RuntimeException _) {
        // Another system, or one that hides it: then nobody knows.
      }
    }
    return new SendQueues(bytes);
  }

  /** Empty if the kernel does not tell. */
  Optional<Long> of(int localPort, InetSocketAddress remote) {
    return Optional.ofNullable(bytes.get(new Key(localPort, remote)));
  }

  /** {@code 0100007F:1F90} is 127.0.0.1, port 8080: the address in words of the machine's order. */
  private static InetSocketAddress address(String text) throws IOException {
    int colon = text.indexOf(':');
    byte[] address = HexFormat.of().parseHex(text.substring(0, colon));
    for (int word = 0; word < address.length; word += WORD) {
      swap(address, word, word + 3);
      swap(address, word + 1, word + 2);
    }
    int port = Integer.parseInt(text.substring(colon + 1), HEX);
    return new InetSocketAddress(InetAddress.getByAddress(address), port);
  }

  private static void swap(byte[] bytes, int left, int right) {
    byte kept = bytes[left];
    bytes[left] = bytes[right];
    bytes[right] = kept;
  }

  private record Key(int localPort, InetSocketAddress remote) {}
}
