package io.artifactserver.rest.audit;

import io.artifactserver.core.audit.AuditRecord;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Verifies entry after entry, from the first one. Used by one thread. */
final class AuditChain {
  private final String kept;
  private boolean hasKept;
  private @Nullable AuditRecord last;

  /**
   * @param kept digest that an entry has to have; empty for none
   */
  AuditChain(String kept) {
    this.kept = kept;
    this.hasKept = kept.isEmpty();
  }

  /** Returns what is wrong with the next entry; empty if nothing is. */
  Optional<String> add(AuditRecord next) {
    AuditRecord before = last;
    last = next;
    hasKept |= next.digest().equals(kept);
    if (!next.isIntact()) {
      return Optional.of("Entry %d was changed".formatted(next.id()));
    }
    if (before == null) {
      return next.isFirst()
          ? Optional.empty()
          : Optional.of("Entries before %d are missing".formatted(next.id()));
    }
    return next.follows(before)
        ? Optional.empty()
        : Optional.of(
            "Entry %d does not follow entry %d: entries are missing, or were inserted"
                .formatted(next.id(), before.id()));
  }

  /** Returns what is wrong once there are no more entries; empty if nothing is. */
  Optional<String> end() {
    return hasKept
        ? Optional.empty()
        : Optional.of(
            "No entry has the digest %s: the end was cut off, or the entries were written again"
                .formatted(kept));
  }

  /** How many entries there are, if none is missing. */
  long length() {
    return last == null ? 0 : last.id();
  }

  /** Digest of the last entry. */
  String digest() {
    return last == null ? AuditRecord.ORIGIN : last.digest();
  }
}
