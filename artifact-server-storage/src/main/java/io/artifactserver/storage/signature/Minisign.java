package io.artifactserver.storage.signature;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.bouncycastle.crypto.params.Ed25519PublicKeyParameters;
import org.bouncycastle.crypto.signers.Ed25519Signer;

/**
 * Signatures and keys as minisign writes them: a line of comment, and Base64 of two letters for the
 * algorithm, eight bytes that name the key, and the rest. A signature has a second comment, which
 * is signed, too. Pure functions.
 */
final class Minisign {
  /** The signature is over the BLAKE2b-512 of the file. */
  static final String HASHED = "ED";

  /** The signature is over the file itself, and nobody can verify it without all its bytes. */
  static final String LEGACY = "Ed";

  private static final String UNTRUSTED = "untrusted comment:";
  private static final String TRUSTED = "trusted comment: ";
  private static final int ALGORITHM = 2;
  private static final int KEY_ID = 8;
  private static final int HEAD = ALGORITHM + KEY_ID;
  private static final int LINES = 4;

  private Minisign() {}

  /** Whether a file looks like a signature of minisign. */
  static boolean isOne(byte[] file) {
    byte[] begin = UNTRUSTED.getBytes(StandardCharsets.US_ASCII);
    return file.length > begin.length
        && Arrays.equals(file, 0, begin.length, begin, 0, begin.length);
  }

  /**
   * Returns the algorithm of a signature; empty if the file is none.
   *
   * @return {@link #HASHED} or {@link #LEGACY}
   */
  static Optional<String> algorithm(byte[] file) {
    return parse(file).map(Parsed::algorithm);
  }

  /**
   * Whether the owner of a key has signed a file.
   *
   * @param key as {@link #key} took it
   * @param blake2b of the file, 64 bytes
   */
  static boolean isGood(String key, byte[] signature, byte[] blake2b) {
    byte[] publicKey = key(key);
    return parse(signature)
        .filter(parsed -> parsed.algorithm.equals(HASHED))
        .filter(parsed -> Arrays.equals(parsed.head, ALGORITHM, HEAD, publicKey, ALGORITHM, HEAD))
        .filter(parsed -> isSigned(publicKey, parsed.signature, blake2b))
        .filter(parsed -> isSigned(publicKey, parsed.global, parsed.signatureAndComment))
        .isPresent();
  }

  private static boolean isSigned(byte[] key, byte[] signature, byte[] message) {
    Ed25519Signer signer = new Ed25519Signer();
    signer.init(false, new Ed25519PublicKeyParameters(key, HEAD));
    signer.update(message, 0, message.length);
    return signer.verifySignature(signature);
  }

  /**
   * Returns the bytes of a public key.
   *
   * @param text the file, or its second line alone
   * @throws IllegalArgumentException if it is none
   */
  static byte[] key(String text) {
    String line = text.strip();
    if (line.startsWith(UNTRUSTED)) {
      line = line.lines().skip(1).findFirst().orElse("").strip();
    }
    byte[] key;
    try {
      key = Base64.getDecoder().decode(line);
    } catch (IllegalArgumentException _) {
      key = new byte[0];
    }
    if (key.length != HEAD + Ed25519PublicKeyParameters.KEY_SIZE
        || !new String(key, 0, ALGORITHM, StandardCharsets.ISO_8859_1).equals(LEGACY)) {
      throw new IllegalArgumentException(
          "A public key of minisign is the second line of minisign.pub, and begins with RW");
    }
    // Refuses bytes that are no point of the curve.
    var _ = new Ed25519PublicKeyParameters(key, HEAD);
    return key;
  }

  private static Optional<Parsed> parse(byte[] file) {
    try {
      List<String> lines =
          StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(file))
              .toString()
              .lines()
              .toList();
      if (lines.size() != LINES
          || !lines.getFirst().startsWith(UNTRUSTED)
          || !lines.get(2).startsWith(TRUSTED)) {
        return Optional.empty();
      }
      byte[] first = Base64.getDecoder().decode(lines.get(1));
      byte[] global = Base64.getDecoder().decode(lines.get(LINES - 1));
      if (first.length != HEAD + Ed25519PublicKeyParameters.KEY_SIZE * 2
          || global.length != Ed25519PublicKeyParameters.KEY_SIZE * 2) {
        return Optional.empty();
      }
      String algorithm = new String(first, 0, ALGORITHM, StandardCharsets.ISO_8859_1);
      return algorithm.equals(HASHED) || algorithm.equals(LEGACY)
          ? Optional.of(
              new Parsed(algorithm, first, global, lines.get(2).substring(TRUSTED.length())))
          : Optional.empty();
    } catch (CharacterCodingException | IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /** A signature's parts. Not a record, because of its arrays. */
  private static final class Parsed {
    private final String algorithm;
    private final byte[] head;
    private final byte[] signature;
    private final byte[] global;
    private final byte[] signatureAndComment;

    private Parsed(String algorithm, byte[] first, byte[] global, String comment) {
      this.algorithm = algorithm;
      this.head = Arrays.copyOf(first, HEAD);
      this.signature = Arrays.copyOfRange(first, HEAD, first.length);
      this.global = global;
      byte[] text = comment.getBytes(StandardCharsets.UTF_8);
      this.signatureAndComment = Arrays.copyOf(signature, signature.length + text.length);
      System.arraycopy(text, 0, signatureAndComment, signature.length, text.length);
    }

    private String algorithm() {
      return algorithm;
    }
  }
}
