package io.artifactserver.planted.r6;

import java.io.IOException;
import java.io.InputStream;

/** Reads a range the old way. */
final class ReadAndDiscard {
  private ReadAndDiscard() {}

  static int readAt(InputStream stream, long position) throws IOException {
    stream.skipNBytes(position);
    return stream.read();
  }
}
