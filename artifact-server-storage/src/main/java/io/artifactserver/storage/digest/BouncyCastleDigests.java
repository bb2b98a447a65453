package io.artifactserver.storage.digest;

import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.SavableDigests;
import java.security.MessageDigest;
import org.bouncycastle.crypto.ExtendedDigest;
import org.bouncycastle.crypto.digests.EncodableDigest;
import org.bouncycastle.crypto.digests.MD5Digest;
import org.bouncycastle.crypto.digests.SHA1Digest;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.digests.SHA512Digest;

/** Bouncy Castle's digests, used directly: no security provider is installed. Thread-safe. */
public final class BouncyCastleDigests implements SavableDigests {
  @Override
  public MessageDigest begin(DigestAlgorithm algorithm) {
    return switch (algorithm) {
      case MD5 -> new Running<>(algorithm, new MD5Digest());
      case SHA_1 -> new Running<>(algorithm, new SHA1Digest());
      case SHA_256 -> new Running<>(algorithm, new SHA256Digest());
      case SHA_512 -> new Running<>(algorithm, new SHA512Digest());
    };
  }

  @Override
  public byte[] save(MessageDigest digest) {
    if (digest instanceof Running<?> running) {
      return running.digest.getEncodedState();
    }
    throw new IllegalArgumentException("Not a digest of this kind: " + digest);
  }

  @Override
  public MessageDigest resume(DigestAlgorithm algorithm, byte[] state) {
    try {
      return switch (algorithm) {
        case MD5 -> new Running<>(algorithm, new MD5Digest(state));
        case SHA_1 -> new Running<>(algorithm, new SHA1Digest(state));
        case SHA_256 -> new Running<>(algorithm, new SHA256Digest(state));
        case SHA_512 -> new Running<>(algorithm, new SHA512Digest(state));
      };
    } catch (RuntimeException e) {
      // Which one is not documented.
      throw new IllegalArgumentException("Not a state of " + algorithm.standardName(), e);
    }
  }

  /** One digest of Bouncy Castle as one of the JDK's. */
  private static final class Running<D extends ExtendedDigest & EncodableDigest>
      extends MessageDigest {
    private final D digest;

    Running(DigestAlgorithm algorithm, D digest) {
      super(algorithm.standardName());
      this.digest = digest;
    }

    @Override
    protected int engineGetDigestLength() {
      return digest.getDigestSize();
    }

    @Override
    protected void engineUpdate(byte input) {
      digest.update(input);
    }

    @Override
    protected void engineUpdate(byte[] input, int offset, int length) {
      digest.update(input, offset, length);
    }

    @Override
    protected byte[] engineDigest() {
      byte[] value = new byte[digest.getDigestSize()];
      int _ = digest.doFinal(value, 0);
      return value;
    }

    @Override
    protected void engineReset() {
      digest.reset();
    }
  }
}
