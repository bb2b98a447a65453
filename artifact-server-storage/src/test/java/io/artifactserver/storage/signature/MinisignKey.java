package io.artifactserver.storage.signature;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.crypto.signers.Ed25519Signer;

/** A key that signs as minisign does. */
final class MinisignKey {
  private final byte[] id = new byte[8];
  private final Ed25519PrivateKeyParameters key;

  MinisignKey(int id) {
    Arrays.fill(this.id, (byte) id);
    this.key = new Ed25519PrivateKeyParameters(new SecureRandom());
  }

  /** Another key with the same id. */
  MinisignKey withOtherBytes() {
    return new MinisignKey(id[0]);
  }

  /** As in the second line of {@code minisign.pub}. */
  String publicKey() {
    return base64(
        "Ed".getBytes(StandardCharsets.US_ASCII), id, key.generatePublicKey().getEncoded());
  }

  /** As {@code minisign} writes it into a file. */
  String sign(String algorithm, byte[] message, String comment) {
    byte[] signature = sign(message);
    byte[] global = sign(concat(signature, comment.getBytes(StandardCharsets.UTF_8)));
    return "untrusted comment: by a test\n%s\ntrusted comment: %s\n%s\n"
        .formatted(
            base64(algorithm.getBytes(StandardCharsets.US_ASCII), id, signature),
            comment,
            base64(global));
  }

  private byte[] sign(byte[] message) {
    Ed25519Signer signer = new Ed25519Signer();
    signer.init(true, key);
    signer.update(message, 0, message.length);
    return signer.generateSignature();
  }

  private static String base64(byte[]... parts) {
    return Base64.getEncoder().encodeToString(concat(parts));
  }

  private static byte[] concat(byte[]... parts) {
    byte[] all = {};
    for (byte[] part : parts) {
      int end = all.length;
      all = Arrays.copyOf(all, end + part.length);
      System.arraycopy(part, 0, all, end, part.length);
    }
    return all;
  }
}
