package io.artifactserver.rest.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a Linux machine says of itself in its pseudo files. Reads at every call, and is thread-safe.
 *
 * @param root under which {@code proc} and the others lie; {@code /} but for tests
 */
record Host(Path root) {
  /** Reads one file, without the white space around its text; empty if it cannot be read. */
  Optional<String> text(String file) {
    try {
      return Optional.of(Files.readString(root.resolve(file)).strip());
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
