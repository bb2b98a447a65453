package io.artifactserver.storage.remote.cache;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * The cache of a remote backend's blobs. Immutable.
 *
 * @param enabled whether there is one; default false. Set it when devices read from a remote
 *     backend.
 * @param path its folder, of this server alone; empty, the default, means {@code cache} in the data
 *     folder. Change it to put the cache on a faster disk.
 * @param maxSize most bytes held, at least one piece; default 10 GB. Raise it until the images that
 *     are being rolled out fit at the same time.
 * @param minFree bytes of the disk that are left to others; default 1 GB. Raise it when the disk
 *     serves others that grow in bursts.
 * @param fill how much the first request of a blob fetches; default {@code whole}. {@link
 *     Fill#DEMANDED} where devices read small parts of large blobs that no other device reads.
 * @param pieceSize length of the pieces that blobs are fetched in, 64 KB to 64 MB; default 1 MB.
 *     Not more than the backend's chunk; smaller where a client's first byte must not wait for a
 *     megabyte. A change empties the cache.
 * @param maxFetches pieces that are fetched at a time, 2 to 1,024; default 32. Raise it when the
 *     backend is far away and fast.
 */
@ConfigurationProperties("artifact-server.storage.cache")
public record CacheProperties(
    @DefaultValue("false") boolean enabled,
    @DefaultValue("") String path,
    @DefaultValue("10GB") DataSize maxSize,
    @DefaultValue("1GB") DataSize minFree,
    @DefaultValue("whole") Fill fill,
    @DefaultValue("1MB") DataSize pieceSize,
    @DefaultValue("32") int maxFetches) {
  static final String PREFIX = "artifact-server.storage.cache";

  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public CacheProperties {
    requireWithin("piece-size", pieceSize, DataSize.ofKilobytes(64), DataSize.ofMegabytes(64));
    requireWithin("max-size", maxSize, pieceSize, DataSize.ofBytes(Long.MAX_VALUE / 4));
    requireWithin("min-free", minFree, DataSize.ofBytes(0), DataSize.ofBytes(Long.MAX_VALUE / 4));
    Assert.isTrue(
        maxFetches >= 2 && maxFetches <= 1024,
        "%s.max-fetches must be 2 to 1024, not %d".formatted(PREFIX, maxFetches));
  }

  private static void requireWithin(String name, DataSize value, DataSize min, DataSize max) {
    Assert.isTrue(
        value.compareTo(min) >= 0 && value.compareTo(max) <= 0,
        "%s.%s is %s to %s, not %s".formatted(PREFIX, name, min, max, value));
  }

  /** How much of a blob is fetched. */
  public enum Fill {
    /** All of it, in the background, from the first request on. */
    WHOLE,
    /** The pieces that requests need, and some ahead of each reader. */
    DEMANDED
  }
}
