package io.artifactserver.storage.remote.cache;

import org.springframework.util.unit.DataSize;

/** Settings for tests. */
final class TestProperties {
  static final int PIECE_LENGTH = 64 * 1024;

  private TestProperties() {}

  static CacheProperties whole() {
    return whole(1 << 30);
  }

  static CacheProperties whole(long maxSize) {
    return of(maxSize, CacheProperties.Fill.WHOLE);
  }

  static CacheProperties demanded() {
    return of(1 << 30, CacheProperties.Fill.DEMANDED);
  }

  static CacheProperties of(long maxSize, CacheProperties.Fill fill) {
    return new CacheProperties(
        true,
        "",
        DataSize.ofBytes(maxSize),
        DataSize.ofBytes(0),
        fill,
        DataSize.ofBytes(PIECE_LENGTH),
        8);
  }
}
