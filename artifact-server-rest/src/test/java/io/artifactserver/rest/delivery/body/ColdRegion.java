package io.artifactserver.rest.delivery.body;

import io.artifactserver.core.blob.FileRegion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * A region none of whose pages is in memory until it is loaded, and that remembers what was asked
 * of it. Thread-safe.
 */
public final class ColdRegion implements FileRegion {
  private static final int PAGE = 4096;

  private final byte[] bytes;
  private final BitSet resident = new BitSet();
  private final List<Load> loads = Collections.synchronizedList(new ArrayList<>());
  private int closes;

  /** One call of {@link #load}. */
  public record Load(String thread, long offset, int length) {}

  public ColdRegion(byte[] bytes) {
    this.bytes = bytes.clone();
  }

  @Override
  public long length() {
    return bytes.length;
  }

  @Override
  public synchronized ByteBuffer slice(long offset, int length) {
    requireOpen(offset, length);
    if (!isResident(offset, length)) {
      throw new AssertionError("A cold page was about to be read at " + offset);
    }
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer().slice((int) offset, length);
  }

  @Override
  public synchronized boolean isResident(long offset, int length) {
    requireOpen(offset, length);
    int end = (int) ((offset + length - 1) / PAGE) + 1;
    return resident.nextClearBit((int) (offset / PAGE)) >= end;
  }

  @Override
  public synchronized void load(long offset, int length) {
    requireOpen(offset, length);
    loads.add(new Load(Thread.currentThread().getName(), offset, length));
    resident.set((int) (offset / PAGE), (int) ((offset + length - 1) / PAGE) + 1);
  }

  @Override
  public synchronized void close() {
    closes++;
  }

  /** Brings every page in that has a byte in the range. */
  public synchronized void warm(long offset, int length) {
    resident.set((int) (offset / PAGE), (int) ((offset + length - 1) / PAGE) + 1);
  }

  public List<Load> loads() {
    return List.copyOf(loads);
  }

  public synchronized int closes() {
    return closes;
  }

  private void requireOpen(long offset, int length) {
    Objects.checkFromIndexSize(offset, length, length());
    if (closes > 0) {
      throw new IllegalStateException("The region is closed");
    }
  }
}
