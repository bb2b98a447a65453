package io.artifactserver.rest.endtoend;

import io.artifactserver.core.nightly.Nightly;
import java.util.List;

/** {@link RangeSets} of a bucket, through the cache on the disk. */
@Nightly("RangeSetS3IT has the bucket, and the store's contract the cache.")
class RangeSetCacheIT extends RangeSetS3IT {
  @Override
  List<String> cache() {
    return List.of("--artifact-server.storage.cache.enabled=true");
  }
}
