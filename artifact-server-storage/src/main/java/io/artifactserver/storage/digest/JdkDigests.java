package io.artifactserver.storage.digest;

import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.SavableDigests;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * The JDK's own digests, which use the processor's instructions; their state is read and written by
 * reflection. That needs {@code java.base/sun.security.provider} to be open, as the manifest of the
 * program has it, and the fields of the JDK that this was written for: {@link #find} tries both.
 * Thread-safe.
 */
public final class JdkDigests implements SavableDigests {
  /** Distinguishes these states from those of others. */
  private static final byte MARK = 'J';

  private static final String PACKAGE = "sun.security.provider.";

  private final Map<DigestAlgorithm, Inside> insides = new EnumMap<>(DigestAlgorithm.class);
  private final SavableDigests others;

  private JdkDigests(SavableDigests others) throws ReflectiveOperationException {
    this.others = others;
    insides.put(DigestAlgorithm.MD5, new Inside("MD5", "MD5"));
    insides.put(DigestAlgorithm.SHA_1, new Inside("SHA", "SHA"));
    insides.put(DigestAlgorithm.SHA_256, new Inside("SHA2$SHA256", "SHA2"));
    insides.put(DigestAlgorithm.SHA_512, new Inside("SHA5$SHA512", "SHA5"));
  }

  /**
   * Returns the JDK's digests, if they can be saved in this process and are right then.
   *
   * @param others go on with the states that they saved
   */
  public static Optional<SavableDigests> find(SavableDigests others) {
    try {
      JdkDigests digests = new JdkDigests(others);
      for (DigestAlgorithm algorithm : DigestAlgorithm.values()) {
        digests.check(algorithm);
      }
      return Optional.of(digests);
    } catch (ReflectiveOperationException | RuntimeException e) {
      // Not this JDK, or not open: the others do.
      return Optional.empty();
    }
  }

  @Override
  public MessageDigest begin(DigestAlgorithm algorithm) {
    return new Running(algorithm, inside(algorithm));
  }

  @Override
  public byte[] save(MessageDigest digest) {
    return digest instanceof Running running ? running.save() : others.save(digest);
  }

  @Override
  public MessageDigest resume(DigestAlgorithm algorithm, byte[] state) {
    if (state.length == 0 || state[0] != MARK) {
      return others.resume(algorithm, state);
    }
    Running digest = new Running(algorithm, inside(algorithm));
    digest.restore(state);
    return digest;
  }

  private Inside inside(DigestAlgorithm algorithm) {
    Inside inside = insides.get(algorithm);
    if (inside == null) {
      throw new IllegalArgumentException("No digest for " + algorithm);
    }
    return inside;
  }

  /** Saves and resumes in the middle of a block, and compares with the digest in one piece. */
  private void check(DigestAlgorithm algorithm) {
    byte[] bytes = new byte[777];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 31);
    }
    MessageDigest first = begin(algorithm);
    first.update(bytes, 0, 400);
    MessageDigest second = resume(algorithm, save(first));
    second.update(bytes, 400, bytes.length - 400);
    first.update(bytes, 400, bytes.length - 400);
    byte[] expected = algorithm.newMessageDigest().digest(bytes);
    if (!Arrays.equals(expected, second.digest()) || !Arrays.equals(expected, first.digest())) {
      throw new IllegalStateException("The state of " + algorithm + " is another one");
    }
  }

  private static <T> T reflected(Reflection<T> reflection) {
    try {
      return reflection.run();
    } catch (ReflectiveOperationException e) {
      // Everything was accessible when this object was made.
      throw new IllegalStateException("The JDK's digests cannot be reached", e);
    }
  }

  private interface Reflection<T> {
    T run() throws ReflectiveOperationException;
  }

  /** How the JDK keeps the state of one algorithm. */
  private static final class Inside {
    private final Constructor<?> constructor;
    private final Method update;
    private final Method digest;
    private final Field buffer;
    private final Field buffered;
    private final Field processed;
    private final Field words;

    Inside(String type, String withWords) throws ReflectiveOperationException {
      Class<?> base = Class.forName(PACKAGE + "DigestBase");
      constructor = Class.forName(PACKAGE + type).getDeclaredConstructor();
      update = base.getDeclaredMethod("engineUpdate", byte[].class, int.class, int.class);
      digest = base.getDeclaredMethod("engineDigest");
      buffer = base.getDeclaredField("buffer");
      buffered = base.getDeclaredField("bufOfs");
      processed = base.getDeclaredField("bytesProcessed");
      words = Class.forName(PACKAGE + withWords).getDeclaredField("state");
      constructor.setAccessible(true);
      update.setAccessible(true);
      digest.setAccessible(true);
      for (Field field : new Field[] {buffer, buffered, processed, words}) {
        field.setAccessible(true);
      }
    }
  }

  /** One digest of the JDK's. */
  private static final class Running extends MessageDigest {
    private final DigestAlgorithm algorithm;
    private final Inside inside;
    private Object engine;

    Running(DigestAlgorithm algorithm, Inside inside) {
      super(algorithm.standardName());
      this.algorithm = algorithm;
      this.inside = inside;
      this.engine = reflected(() -> inside.constructor.newInstance());
    }

    byte[] save() {
      return reflected(() -> {
        byte[] buffer = (byte[]) inside.buffer.get(engine);
        int buffered = inside.buffered.getInt(engine);
        Object words = inside.words.get(engine);
        int count = Array.getLength(words);
        ByteBuffer state =
            ByteBuffer.allocate(1 + Long.BYTES + count * Long.BYTES + buffered)
                .put(MARK)
                .putLong(inside.processed.getLong(engine));
        for (int i = 0; i < count; i++) {
          state.putLong(Array.getLong(words, i));
        }
        return state.put(buffer, 0, buffered).array();
      });
    }

    void restore(byte[] saved) {
      boolean _ =
          reflected(() -> {
            ByteBuffer state = ByteBuffer.wrap(saved, 1, saved.length - 1);
            byte[] buffer = (byte[]) inside.buffer.get(engine);
            Object words = inside.words.get(engine);
            int count = Array.getLength(words);
            int buffered = state.remaining() - Long.BYTES - count * Long.BYTES;
            if (buffered < 0 || buffered > buffer.length) {
              throw new IllegalArgumentException("Not a state of " + algorithm.standardName());
            }
            inside.processed.setLong(engine, state.getLong());
            for (int i = 0; i < count; i++) {
              long word = state.getLong();
              if (words instanceof int[] ints) {
                ints[i] = (int) word;
              } else {
                Array.setLong(words, i, word);
              }
            }
            state.get(buffer, 0, buffered);
            inside.buffered.setInt(engine, buffered);
            return true;
          });
    }

    @Override
    protected int engineGetDigestLength() {
      return algorithm.length();
    }

    @Override
    protected void engineUpdate(byte input) {
      engineUpdate(new byte[] {input}, 0, 1);
    }

    @Override
    protected void engineUpdate(byte[] input, int offset, int length) {
      boolean _ =
          reflected(() -> {
            inside.update.invoke(engine, input, offset, length);
            return true;
          });
    }

    @Override
    protected byte[] engineDigest() {
      return reflected(() -> (byte[]) inside.digest.invoke(engine));
    }

    @Override
    protected void engineReset() {
      engine = reflected(() -> inside.constructor.newInstance());
    }
  }
}
