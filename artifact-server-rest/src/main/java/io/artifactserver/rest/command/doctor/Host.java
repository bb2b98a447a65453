package io.artifactserver.rest.command.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A Linux machine, as its pseudo files describe it. Reads them at every call. Thread-safe.
 *
 * @param root under which {@code proc} and the others lie; {@code /} but for tests
 */
record Host(Path root) {
  private static final int LONGEST = 64 * 1024;

  /** Reads one file, without the white space around its text; empty if it cannot be read. */
  Optional<String> text(String file) {
    // In one read: below /proc/sys there is nothing behind the first, however short it was.
    try (InputStream input = Files.newInputStream(root.resolve(file))) {
      byte[] bytes = new byte[LONGEST];
      int length = Math.max(0, input.read(bytes));
      return Optional.of(new String(bytes, 0, length, StandardCharsets.US_ASCII).strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Reads a setting, {@code net.ipv4.tcp_wmem} say. Containers do not see all of their host's. */
  Optional<String> setting(String name) {
    return text("proc/sys/" + name.replace('.', '/')).map(text -> text.replace('\t', ' '));
  }

  /** Reads the last number of a setting: the only one, or the maximum. */
  OptionalLong limit(String name) {
    Optional<String> text = setting(name);
    if (text.isEmpty()) {
      return OptionalLong.empty();
    }
    String number = text.get().substring(text.get().lastIndexOf(' ') + 1);
    return number.matches("\\d{1,18}")
        ? OptionalLong.of(Long.parseLong(number))
        : OptionalLong.empty();
  }

  boolean isContainer() {
    return Files.exists(root.resolve(".dockerenv"))
        || Files.exists(root.resolve("run/.containerenv"));
  }
}
