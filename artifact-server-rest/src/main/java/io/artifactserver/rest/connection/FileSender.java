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
}
