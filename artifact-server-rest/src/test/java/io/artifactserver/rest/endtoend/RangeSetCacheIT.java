package io.artifactserver.rest.endtoend;

import java.util.List;

/** {@link RangeSets} of a bucket, through the cache on the disk. */
class RangeSetCacheIT extends RangeSetS3IT {
  @Override
  List<String> cache() {
    return List.of("--artifact-server.storage.cache.enabled=true");
  }
}
