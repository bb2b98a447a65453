package io.artifactserver.storage.remote.cache;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import java.util.Optional;

/** Fills the cache. */
final class Warm {
  private Warm() {}

  /** Asks for a blob's first byte, and waits until all of it can be mapped. */
  static void up(BlobStore cache, BlobRef ref) throws StorageException {
    if (isMappable(cache, ref)) {
      return;
    }
    try (RangeReader reader = cache.blob(ref).open(ByteRange.whole(Math.min(1, ref.length())))) {
      assertThat(reader.isOpen()).isTrue();
    }
    if (ref.length() > 0) {
      await(() -> isMappable(cache, ref));
    }
  }

  static boolean isMappable(BlobStore cache, BlobRef ref) throws StorageException {
    Optional<FileRegion> region = cache.blob(ref).fileRegion(ByteRange.whole(ref.length()));
    region.ifPresent(FileRegion::close);
    return region.isPresent();
  }

  /** Waits for something that happens in the background. */
  static void await(Condition condition) {
    eventually("what happens in the background", condition::holds);
  }

  interface Condition {
    boolean holds() throws StorageException;
  }
}
