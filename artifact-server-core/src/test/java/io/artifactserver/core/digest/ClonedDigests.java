package io.artifactserver.core.digest;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Saves digests of the JDK as copies that it keeps, for tests. Thread-safe. */
public final class ClonedDigests implements SavableDigests {
  private final Map<Integer, MessageDigest> saved = new ConcurrentHashMap<>();
  private final AtomicInteger count = new AtomicInteger();

  @Override
  public MessageDigest begin(DigestAlgorithm algorithm) {
    return algorithm.newMessageDigest();
  }

  @Override
  public byte[] save(MessageDigest digest) {
    int number = count.incrementAndGet();
    saved.put(number, copy(digest));
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  @Override
  public MessageDigest resume(DigestAlgorithm algorithm, byte[] state) {
    return copy(Objects.requireNonNull(saved.get(ByteBuffer.wrap(state).getInt())));
  }

  private static MessageDigest copy(MessageDigest digest) {
    try {
      return (MessageDigest) digest.clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException(e);
    }
  }
}
