package io.artifactserver.rest.server.engine;

import io.artifactserver.core.blob.FileRegion;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;

/** A connection that can send a file's bytes without their passing through the process. */
public interface FileSender {
  /** Sends buffers as they are. */
  FileSender NONE =
      new FileSender() {
        @Override
        public void next(FileRegion region, long offset, ByteBuffer view) {}

        @Override
        public void forget() {}
      };

  /** Returns what sends files on the request's connection, or {@link #NONE}. */
  static FileSender of(Request request) {
    ConnectionMetaData connection = request.getConnectionMetaData();
    // The frames of HTTP/2 are too short to be worth two system calls each.
    return connection.getHttpVersion().getVersion() < HttpVersion.HTTP_2.getVersion()
            && connection.getConnection().getEndPoint() instanceof FileSender sender
        ? sender
        : FileSender.NONE;
  }

  /**
   * Tells what the next buffer stands for, before it is written. Valid until the next call.
   *
   * @param region open until {@link #forget}
   * @param offset of the buffer's first byte in the region
   * @param view the buffer itself: a copy or a slice of it is sent as it is
   */
  void next(FileRegion region, long offset, ByteBuffer view);

  /** The region is about to be closed. */
  void forget();

  /**
   * Whether it is worth while to {@link #repeat} the answer to the request that is being handled.
   */
  default boolean repeats() {
    return false;
  }

  /**
   * Lets requests that are this one again, but for one place, be answered without being handled. To
   * be called before the answer is written, if it depends on nothing but the request's bytes and
   * what the responder checks.
   */
  default void repeat(RangeResponder responder) {}
}
