package io.artifactserver.rest.planted.r14;

import java.nio.ByteBuffer;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.Callback;

/** A second way for a byte. */
final class WritesToAnEndPoint {
  private WritesToAnEndPoint() {}

  static void write(EndPoint endPoint) {
    endPoint.write(Callback.NOOP, ByteBuffer.allocate(1));
  }
}
