package io.artifactserver.core.digest;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

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

  /**
   * Bytes for one call of a message digest. Java uses the processor's instructions once it has
   * compiled the caller, after some thousand calls: with 256 KiB in each, the first 2 GB of a
   * process took twice as long.
   */
  private static final int PIECE = 16 * 1024;

  private final Map<DigestAlgorithm, MessageDigest> messageDigests = new LinkedHashMap<>();
  private final Executor executor;

  /**
   * @param executor runs one task an algorithm and update; it bounds the parallelism
   */
  public MultiDigester(Executor executor) {
    this(executor, DigestAlgorithm::newMessageDigest);
  }

  /**
   * @param executor runs one task an algorithm and update; it bounds the parallelism
   * @param begin makes a message digest of this object's own
   */
  public MultiDigester(Executor executor, Function<DigestAlgorithm, MessageDigest> begin) {
    this.executor = executor;
    Arrays.stream(DigestAlgorithm.values())
        .sorted(SLOWEST_FIRST)
        .forEach(algorithm -> messageDigests.put(algorithm, begin.apply(algorithm)));
  }

  /**
   * A digester that goes on where another one was {@linkplain #save saved}.
   *
   * @throws IllegalArgumentException if {@code saved} is not of these digests, or of an earlier set
   *     of algorithms
   */
  public static MultiDigester resume(Executor executor, SavableDigests digests, byte[] saved) {
    Map<DigestAlgorithm, byte[]> states = new EnumMap<>(DigestAlgorithm.class);
    try {
      ByteBuffer bytes = ByteBuffer.wrap(saved);
      while (bytes.hasRemaining()) {
        byte[] id = new byte[bytes.get()];
        bytes.get(id);
        byte[] state = new byte[bytes.getShort()];
        bytes.get(state);
        DigestAlgorithm.ofId(new String(id, StandardCharsets.US_ASCII))
            .ifPresent(algorithm -> states.put(algorithm, state));
      }
    } catch (BufferUnderflowException | NegativeArraySizeException e) {
      throw new IllegalArgumentException("Not the states of digests", e);
    }
    return new MultiDigester(
        executor,
        algorithm -> {
          byte[] state = states.get(algorithm);
          if (state == null) {
            throw new IllegalArgumentException("No state of " + algorithm.standardName());
          }
          return digests.resume(algorithm, state);
        });
  }

  /**
   * The states of all digests, some 500 bytes: {@link #resume} goes on from there. No update may be
   * under way.
   *
   * @param digests that this object's message digests are of
   */
  public byte[] save(SavableDigests digests) {
    ByteArrayOutputStream saved = new ByteArrayOutputStream();
    messageDigests.forEach((algorithm, messageDigest) -> {
      byte[] id = algorithm.id().getBytes(StandardCharsets.US_ASCII);
      byte[] state = digests.save(messageDigest);
      saved.write(id.length);
      saved.writeBytes(id);
      saved.writeBytes(ByteBuffer.allocate(Short.BYTES).putShort((short) state.length).array());
      saved.writeBytes(state);
    });
    return saved.toByteArray();
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
              return CompletableFuture.runAsync(() -> update(messageDigest, view), executor);
            })
            .toArray(CompletableFuture<?>[]::new));
  }

  /** Digests the remaining bytes of a buffer of any length, as fast as Java can soon. */
  public static void update(MessageDigest messageDigest, ByteBuffer bytes) {
    int limit = bytes.limit();
    while (bytes.position() < limit) {
      bytes.limit(Math.min(limit, bytes.position() + PIECE));
      messageDigest.update(bytes);
    }
  }

  /** The digests of everything given so far; ends this object's use. */
  public Digests digests() {
    Map<DigestAlgorithm, Digest> values = new EnumMap<>(DigestAlgorithm.class);
    messageDigests.forEach((algorithm, messageDigest) ->
        values.put(algorithm, Digest.of(algorithm, messageDigest.digest())));
    return new Digests(values);
  }
}
