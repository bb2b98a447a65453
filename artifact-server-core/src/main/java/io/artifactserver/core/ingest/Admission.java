package io.artifactserver.core.ingest;

import io.artifactserver.core.limit.OverQuotaException;
import io.artifactserver.core.limit.QuotaLedger;

/**
 * An upload that may come: the room that is reserved for it, in the store and in its repository.
 * Used by one thread at a time, and closed by whoever asked for it; closing gives back what no
 * artifact has taken.
 */
public final class Admission implements AutoCloseable {
  private final boolean encrypted;
  private final Quota.Reservation room;
  private final QuotaLedger.Reservation place;

  Admission(boolean encrypted, Quota.Reservation room, QuotaLedger.Reservation place) {
    this.encrypted = encrypted;
    this.room = room;
    this.place = place;
  }

  /** Whether the bytes go to the store of encrypted blobs. */
  public boolean encrypted() {
    return encrypted;
  }

  /**
   * Makes the reservations at least {@code length} bytes. May ask the database.
   *
   * @throws IngestException if there is no room, or no artifact may be as long
   */
  public void growTo(long length) throws IngestException {
    room.growTo(length);
    try {
      place.growTo(length);
    } catch (OverQuotaException e) {
      throw new IngestException.RepositoryFull(e);
    }
  }

  /**
   * Takes over the room of an upload whose bytes this one has now. Nobody else gets it meanwhile.
   *
   * @param part in the same repository; it has no room any more
   */
  public void absorb(Admission part) {
    room.absorb(part.room);
    place.absorb(part.place);
  }

  /**
   * Checks that an artifact may have so many bytes; reserves nothing. No I/O.
   *
   * @throws IngestException if it may not
   */
  public void requireAllowed(long length) throws IngestException {
    room.requireAllowed(length);
  }

  @Override
  public void close() {
    place.close();
    room.close();
  }

  Quota.Reservation room() {
    return room;
  }

  QuotaLedger.Reservation place() {
    return place;
  }
}
