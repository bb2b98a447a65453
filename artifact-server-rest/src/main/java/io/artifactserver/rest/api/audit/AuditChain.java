package io.artifactserver.rest.api.audit;

import io.artifactserver.core.audit.AuditRecord;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Verifies entry after entry, from the first one or from the one that is left after a {@link
 * Removal}. Used by one thread.
 */
public final class AuditChain {
  private final String kept;
  private boolean hasKept;
  private @Nullable AuditRecord first;
  private @Nullable AuditRecord last;

  /** Whether nothing is missing before the first one. */
  private boolean isBeginningProved;

  /**
   * @param kept digest that an entry has to have; empty for none
   */
  public AuditChain(String kept) {
    this.kept = kept;
    this.hasKept = kept.isEmpty();
  }

  /** Returns what is wrong with the next entry; empty if nothing is. */
  public Optional<String> add(AuditRecord next) {
    AuditRecord before = last;
    last = next;
    hasKept |= next.digest().equals(kept);
    if (!next.isIntact()) {
      return Optional.of("Entry %d was changed".formatted(next.id()));
    }
    AuditRecord beginning = first;
    if (beginning == null) {
      beginning = next;
      first = next;
      isBeginningProved = next.isFirst();
    }
    Optional<Removal> removal = Removal.of(next);
    if (removal.isPresent()) {
      hasKept |= removal.get().digest().equals(kept);
      isBeginningProved |= removal.get().isBefore(beginning);
    }
    if (before == null) {
      return Optional.empty();
    }
    return next.follows(before)
        ? Optional.empty()
        : Optional.of(
            "Entry %d does not follow entry %d: entries are missing, or were inserted"
                .formatted(next.id(), before.id()));
  }

  /** Returns what is wrong once there are no more entries; empty if nothing is. */
  public Optional<String> end() {
    AuditRecord beginning = first;
    if (beginning != null && !isBeginningProved) {
      return Optional.of(
          "Entries before %d are missing, and no entry says that the server removed them"
              .formatted(beginning.id()));
    }
    if (hasKept) {
      return Optional.empty();
    }
    String missing =
        "No entry has the digest %s: the end was cut off, or the entries were written again"
            .formatted(kept);
    return Optional.of(
        removed() == 0
            ? missing
            : missing
                + ", or it is of one of the first %d, which the server has removed: keep a later one"
                    .formatted(removed()));
  }

  /** Id of the last entry; 0 if there is none. */
  public long lastId() {
    return last == null ? 0 : last.id();
  }

  /** How many entries the server has removed. */
  public long removed() {
    return first == null ? 0 : first.id() - 1;
  }

  /** How many entries there are. */
  public long length() {
    return lastId() - removed();
  }

  /** Digest of the last entry. */
  public String digest() {
    return last == null ? AuditRecord.ORIGIN : last.digest();
  }
}
