package io.artifactserver.core.testserver;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongConsumer;

/** Heads and bodies of HTTP/1.1, passed on as they come. */
final class HttpMessages {
  private static final int MAX_HEAD = 64 * 1024;

  private HttpMessages() {}

  static List<String> head(InputStream source) throws IOException {
    List<String> lines = new ArrayList<>();
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int total = 0; total < MAX_HEAD; total++) {
      int b = source.read();
      if (b < 0) {
        throw new EOFException();
      } else if (b == '\n') {
        String text = line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
        line.reset();
        if (!text.isEmpty()) {
          lines.add(text);
        } else if (!lines.isEmpty()) {
          return lines;
        }
      } else {
        line.write(b);
      }
    }
    throw new IOException("A head of more than %d bytes".formatted(MAX_HEAD));
  }

  static void write(OutputStream target, List<String> head, boolean withoutExpect)
      throws IOException {
    for (String line : head) {
      if (!(withoutExpect && line.toLowerCase(Locale.ROOT).startsWith("expect:"))) {
        target.write((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
      }
    }
    target.write("\r\n".getBytes(StandardCharsets.US_ASCII));
  }

  static long length(List<String> fields) {
    return new FaultProxy.Request("", "", fields)
        .field("Content-Length")
        .map(Long::parseLong)
        .orElse(0L);
  }

  /** The head with one value of a field in the place of those it has. */
  static List<String> with(List<String> head, String name, String value) {
    String prefix = name.toLowerCase(Locale.ROOT) + ':';
    List<String> changed = new ArrayList<>(head);
    changed.removeIf(line -> line.toLowerCase(Locale.ROOT).startsWith(prefix));
    changed.add(name + ": " + value);
    return changed;
  }

  static boolean isChunked(List<String> fields) {
    return fields.stream().anyMatch(line -> line.equalsIgnoreCase("Transfer-Encoding: chunked"));
  }

  /**
   * @param counter is told the length of each chunk before the chunk goes on
   */
  static void chunked(InputStream source, OutputStream target, LongConsumer counter)
      throws IOException {
    while (true) {
      StringBuilder line = new StringBuilder();
      int b;
      do {
        b = source.read();
        if (b < 0) {
          throw new EOFException();
        }
        line.append((char) b);
      } while (b != '\n');
      int length = Integer.parseInt(line.toString().strip(), 16);
      counter.accept(length);
      target.write(line.toString().getBytes(StandardCharsets.ISO_8859_1));
      transfer(source, target, length + 2L, _ -> {});
      if (length == 0) {
        return;
      }
    }
  }

  /**
   * @param counter is told the length of each block before the block goes on
   */
  static void transfer(InputStream source, OutputStream target, long length, LongConsumer counter)
      throws IOException {
    byte[] buffer = new byte[64 * 1024];
    for (long left = length; left > 0; ) {
      int n = source.read(buffer, 0, (int) Math.min(left, buffer.length));
      if (n < 0) {
        throw new EOFException();
      }
      counter.accept(n);
      target.write(buffer, 0, n);
      left -= n;
    }
  }
}
