package io.artifactserver.rest.upload;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Reads Repr-Digest and Content-Digest (RFC 9530): a dictionary of byte sequences (RFC 8941), such
 * as {@code sha-256=:base64:, sha-512=:base64:}. Without a content coding both say the same.
 */
final class ReprDigestField {
  private ReprDigestField() {}

  /**
   * The digests of a field, those of algorithms that are not known here left out.
   *
   * @throws IllegalArgumentException if the field is malformed; the message is for the sender
   */
  static List<Digest> parse(String value) {
    List<Digest> digests = new ArrayList<>();
    for (String member : value.split(",", -1)) {
      String stripped = member.strip();
      int equals = stripped.indexOf('=');
      if (equals < 1) {
        throw malformed(stripped);
      }
      // Parameters (";a=b") may follow a member; none is defined.
      String item = stripped.substring(equals + 1).split(";", 2)[0].strip();
      if (item.length() < 2 || !item.startsWith(":") || !item.endsWith(":")) {
        throw malformed(stripped);
      }
      Optional<DigestAlgorithm> algorithm =
          DigestAlgorithm.ofFieldKey(stripped.substring(0, equals));
      if (algorithm.isPresent()) {
        digests.add(digest(algorithm.get(), item.substring(1, item.length() - 1), stripped));
      }
    }
    return digests;
  }

  private static Digest digest(DigestAlgorithm algorithm, String base64, String member) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw malformed(member);
    }
    if (bytes.length != algorithm.length()) {
      throw malformed(member);
    }
    return Digest.of(algorithm, bytes);
  }

  private static IllegalArgumentException malformed(String member) {
    return new IllegalArgumentException(
        "Malformed digest \"%s\"; write sha-256=:BASE64: with the Base64 of the raw digest"
            .formatted(member));
  }
}
