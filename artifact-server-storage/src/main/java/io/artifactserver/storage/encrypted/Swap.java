package io.artifactserver.storage.encrypted;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Whether the system may write memory to a disk. */
final class Swap {
  private static final Path SWAPS = Path.of("/proc/swaps");

  private Swap() {}

  /** As Linux says; true where it does not. */
  static boolean isOn() {
    return isOn(SWAPS);
  }

  static boolean isOn(Path swaps) {
    try {
      List<String> lines = Files.readAllLines(swaps);
      return lines.stream().skip(1).anyMatch(line -> !line.startsWith("/dev/zram"));
    } catch (IOException _) {
      return true;
    }
  }
}
