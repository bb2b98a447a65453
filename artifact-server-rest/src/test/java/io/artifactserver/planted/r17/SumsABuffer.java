package io.artifactserver.planted.r17;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Ends the process if the buffer is a mapping and the file becomes shorter. */
final class SumsABuffer {
  private SumsABuffer() {}

  static long sum(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return crc.getValue();
  }
}
