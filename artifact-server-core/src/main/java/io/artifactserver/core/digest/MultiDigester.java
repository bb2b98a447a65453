package io.artifactserver.core.digest;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Computes every {@link DigestAlgorithm} over one stream of bytes, the algorithms side by side.
 *
 * <p>Used by one thread; the executor's threads take part in {@link #update}. Give it array-backed
 * buffers: a message digest copies a direct one through a small array.
 */
public final class MultiDigester {
  /**
   * Those for which processors have no instructions take twice as long as the others. They start
   * first: at the end, one would run alone. DigestBenchmark guards it.
   */
  private static final Comparator<DigestAlgorithm> SLOWEST_FIRST =
      Comparator.<DigestAlgorithm, Boolean>comparing(
              EnumSet.of(DigestAlgorithm.SHA_512, DigestAlgorithm.MD5)::contains)
          .reversed();

  private final Map<DigestAlgorithm, MessageDigest> messageDigests = new LinkedHashMap<>();
  private final Executor executor;

  /**
   * @param executor runs one task an algorithm and update; it bounds the parallelism
   */
  public MultiDigester(Executor executor) {
    this.executor = executor;
    Arrays.stream(DigestAlgorithm.values())
        .sorted(SLOWEST_FIRST)
        .forEach(algorithm -> messageDigests.put(algorithm, algorithm.newMessageDigest()));
  }

  /**
   * Starts digesting the remaining bytes of {@code bytes} and returns at once. The caller neither
   * changes the buffer's content nor calls this object again until the future is done. The buffer's
   * own position is left alone.
   */
  public CompletableFuture<Void> update(ByteBuffer bytes) {
    return CompletableFuture.allOf(
        messageDigests.values().stream()
            .map(messageDigest -> {
              ByteBuffer view = bytes.duplicate();
              return CompletableFuture.runAsync(() -> messageDigest.update(view), executor);
            })
            .toArray(CompletableFuture<?>[]::new));
  }

  /** The digests of everything given so far; ends this object's use. */
  public Digests digests() {
    Map<DigestAlgorithm, Digest> values = new EnumMap<>(DigestAlgorithm.class);
    messageDigests.forEach((algorithm, messageDigest) ->
        values.put(algorithm, Digest.of(algorithm, messageDigest.digest())));
    return new Digests(values);
  }
}
