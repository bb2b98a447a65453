package io.artifactserver.core.upload;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How far an upload has come: the bytes that are written, those up to its last checkpoint, and
 * those that are durable. Any thread may read; changes are made under the lock of the upload, or by
 * its {@link PendingCheckpoint}.
 */
final class UploadPositions {
  /** Bytes that are written. */
  private final AtomicLong written = new AtomicLong();

  /** Bytes up to the last checkpoint, which may not be durable yet. */
  private final AtomicLong checkpoint = new AtomicLong();

  /** Bytes that are durable. */
  private final AtomicLong kept = new AtomicLong();

  /** Parts that are in the bytes that are written. */
  private final AtomicInteger parts = new AtomicInteger();

  /** Parts that are in the bytes that are durable. */
  private final AtomicInteger keptParts = new AtomicInteger();

  /** Starts at the position that the row has. */
  UploadPositions(UploadProgress progress) {
    goTo(progress);
  }

  long written() {
    return written.get();
  }

  long lastCheckpoint() {
    return checkpoint.get();
  }

  long kept() {
    return kept.get();
  }

  int parts() {
    return parts.get();
  }

  int keptParts() {
    return keptParts.get();
  }

  /** Records that all bytes up to a position are written. */
  void writtenTo(long position) {
    written.set(position);
  }

  /** Records that a part ends with the bytes that are written. */
  void addPart() {
    parts.incrementAndGet();
  }

  /** Records that there is a checkpoint of all bytes that are written. */
  void checkpoint() {
    checkpoint.set(written.get());
  }

  /** Records that a checkpoint is durable. */
  void keep(UploadProgress progress) {
    kept.set(progress.position());
    keptParts.set(progress.parts());
  }

  /** Goes back to the bytes that are durable. */
  void goBack() {
    written.set(kept.get());
    checkpoint.set(kept.get());
    parts.set(keptParts.get());
  }

  /** Goes to the position that the row has. */
  void goTo(UploadProgress progress) {
    keep(progress);
    goBack();
  }
}
