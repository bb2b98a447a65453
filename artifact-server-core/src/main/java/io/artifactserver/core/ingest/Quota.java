package io.artifactserver.core.ingest;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds what uploads may store. Thread-safe. Room is reserved before bytes flow, so that two
 * uploads cannot both take the last of it. The count is this process's own: servers that share a
 * catalog each see the total of their start and their own changes since.
 */
public final class Quota {
  private final long maxArtifactLength;
  private final long maxTotal;
  private final AtomicLong used;

  /**
   * @param maxArtifactLength of one artifact, in bytes
   * @param maxTotal of all blobs, in bytes
   * @param used by the blobs that are stored already, in bytes
   */
  public Quota(long maxArtifactLength, long maxTotal, long used) {
    this.maxArtifactLength = maxArtifactLength;
    this.maxTotal = maxTotal;
    this.used = new AtomicLong(used);
  }

  /** Bytes stored or reserved. */
  public long used() {
    return used.get();
  }

  /** Counts a blob that is stored whatever the bound, such as a copy that replaces another. */
  public void add(long length) {
    used.addAndGet(length);
  }

  /** Gives back the room of a deleted blob. */
  public void release(long length) {
    // Another process may have stored the blob. Below zero, maxTotal - used could overflow.
    used.updateAndGet(before -> Math.max(0, before - length));
  }

  /**
   * Reserves room for an upload. The caller closes the reservation.
   *
   * @param length in bytes; 0 for a body of unknown length, which then {@link Reservation#growTo
   *     grows} the reservation
   */
  Reservation reserve(long length) throws IngestException {
    Reservation reservation = new Reservation();
    reservation.growTo(length);
    return reservation;
  }

  /** Checks that one artifact may have {@code length} bytes; reserves nothing. */
  void requireAllowed(long length) throws IngestException.TooLarge {
    if (length > maxArtifactLength) {
      throw new IngestException.TooLarge(maxArtifactLength);
    }
  }

  /** Room for one upload; used by one thread. Closed without {@link #keep()}, it is given back. */
  final class Reservation implements AutoCloseable {
    private final AtomicLong length = new AtomicLong();

    /** Makes the reservation at least {@code newLength} bytes. */
    void growTo(long newLength) throws IngestException {
      requireAllowed(newLength);
      long more = newLength - length.get();
      if (more <= 0) {
        return;
      }
      long before;
      do {
        before = used.get();
        if (more > maxTotal - before) {
          throw new IngestException.QuotaExceeded(maxTotal);
        }
      } while (!used.compareAndSet(before, before + more));
      length.set(newLength);
    }

    /** As {@link Quota#requireAllowed}. */
    void requireAllowed(long newLength) throws IngestException.TooLarge {
      Quota.this.requireAllowed(newLength);
    }

    /** Takes over the room of another reservation, which has none then. */
    void absorb(Reservation other) {
      length.addAndGet(other.length.getAndSet(0));
    }

    /** The blob was stored: its room stays taken. */
    void keep() {
      length.set(0);
    }

    @Override
    public void close() {
      release(length.getAndSet(0));
    }
  }
}
