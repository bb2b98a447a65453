package io.artifactserver.core.audit;

import io.artifactserver.core.digest.Hex;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * One entry of the audit, with a digest over itself and the digest of the entry before it: a reader
 * who changes, removes or inserts an entry breaks the chain. Immutable.
 *
 * @param id 1, 2, 3 and so on, without a gap
 * @param at when it was written, to the microsecond
 * @param entry the event, as one line of JSON
 * @param previous digest of the entry before; {@link #ORIGIN} of the first
 * @param digest SHA-256, lower-case hexadecimal, of id, time, previous digest and entry, each but
 *     the last followed by a line feed
 */
public record AuditRecord(long id, Instant at, String entry, String previous, String digest) {
  /** In place of a digest before the first entry. */
  public static final String ORIGIN = "0".repeat(64);

  /** The first entry of all. */
  public static AuditRecord first(Instant at, String entry) {
    return of(1, at, entry, ORIGIN);
  }

  /** The entry after this one. */
  public AuditRecord next(Instant now, String nextEntry) {
    return of(id + 1, now, nextEntry, digest);
  }

  private static AuditRecord of(long id, Instant at, String entry, String previous) {
    Instant micros = at.truncatedTo(ChronoUnit.MICROS);
    return new AuditRecord(id, micros, entry, previous, digest(id, micros, entry, previous));
  }

  /** Whether the digest is that of what stands here. */
  public boolean isIntact() {
    return digest.equals(digest(id, at, entry, previous));
  }

  /** Whether this is the entry that comes behind {@code before}. */
  public boolean follows(AuditRecord before) {
    return id == before.id + 1 && previous.equals(before.digest);
  }

  /** Whether this is the first entry of all. */
  public boolean isFirst() {
    return id == 1 && previous.equals(ORIGIN);
  }

  private static String digest(long id, Instant at, String entry, String previous) {
    return Hex.sha256(id + "\n" + at + "\n" + previous + "\n" + entry);
  }
}
