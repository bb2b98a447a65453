package io.artifactserver.rest.connection;

import io.artifactserver.core.blob.FileRegion;
import java.nio.ByteBuffer;

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
   * Lets requests that are this one again, but for the range, be answered without being handled. To
   * be called before the answer is written, if it depends on nothing but the request's bytes and
   * what the responder checks.
   */
  default void repeat(RangeResponder responder) {}
}
