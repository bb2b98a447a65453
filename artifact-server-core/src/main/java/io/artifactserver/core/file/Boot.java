package io.artifactserver.core.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The boot of the machine: bytes that were written to a file and not forced are in the memory of
 * its kernel, which survives a process and no power cut. Immutable.
 */
public final class Boot {
  private static final Path ID = Path.of("/proc/sys/kernel/random/boot_id");

  /** Empty where the system does not tell. */
  private static final byte[] STATE = read();

  private Boot() {}

  /** Returns what a checkpoint keeps, for {@link #isOf}. */
  public static byte[] state() {
    return STATE.clone();
  }

  /** Whether a checkpoint's state is of this boot. */
  public static boolean isOf(byte[] state) {
    return STATE.length > 0 && Arrays.equals(STATE, state);
  }

  private static byte[] read() {
    try {
      return Files.readString(ID).strip().getBytes(StandardCharsets.US_ASCII);
    } catch (IOException _) {
      return new byte[0];
    }
  }
}
