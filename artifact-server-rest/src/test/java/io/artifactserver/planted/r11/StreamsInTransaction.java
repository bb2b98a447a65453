package io.artifactserver.planted.r11;

import java.io.IOException;
import java.io.InputStream;
import org.springframework.transaction.annotation.Transactional;

/** Holds a connection while bytes flow. */
class StreamsInTransaction {
  @Transactional
  int store(InputStream stream) throws IOException {
    return stream.read();
  }
}
