package io.artifactserver.core.release;

import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds what channels pointed to before. Immutable, thread-safe; each method asks the database. */
record ReleasePast(ChannelStore store, ArtifactCatalog catalog) {
  /** The release that every device had before; null if there is none, or nobody may need it. */
  @Nullable String base(Optional<ChannelState> before, String release, Rollout rollout) {
    return rollout.needsBase() ? before.map(state -> base(state, release)).orElse(null) : null;
  }

  private @Nullable String base(ChannelState before, String release) {
    if (before.rollout().isForAll() && !release.equals(before.release())) {
      return before.release();
    }
    @Nullable String known = before.rollout().base();
    return known != null && !release.equals(known)
        ? known
        : store
            .lastOther(before.channel(), before.restored(), release)
            .map(ChannelState::release)
            .filter(folder -> hasArtifacts(new ArtifactId(before.channel().repository(), folder)))
            .orElse(null);
  }

  /**
   * The base of a state as the next one. The rollback after it goes further back, not to that
   * state.
   */
  ChannelState backTo(String base, ChannelState from, long version, String comment, Instant now) {
    return new ChannelState(
        from.channel(), version, base, Rollout.ALL, lastOf(from, base, version), comment, now);
  }

  /** The version that pointed to the base of a state. */
  private long lastOf(ChannelState from, String base, long version) {
    ChannelState each = from;
    while (!base.equals(each.release())) {
      Optional<ChannelState> before =
          store.lastOther(from.channel(), each.version(), String.valueOf(each.release()));
      if (before.isEmpty()) {
        return version;
      }
      each = before.get();
    }
    return each.restored();
  }

  /** Whether something lies in a folder. */
  boolean hasArtifacts(ArtifactId folder) {
    return !catalog.list(folder.repository(), folder.path() + '/', "", 1).isEmpty();
  }
}
