package io.artifactserver.rest.http;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Fields that carry digests: Repr-Digest, Content-Digest and Want-Repr-Digest (RFC 9530), which are
 * dictionaries of RFC 8941, and the older Digest and Want-Digest (RFC 3230) that aria2c speaks.
 */
public final class DigestFields {
  /** More members than there are algorithms say nothing new. */
  private static final int MAX_MEMBERS = 32;

  private static final List<DigestAlgorithm> DEFAULTS =
      List.of(DigestAlgorithm.SHA_256, DigestAlgorithm.SHA_512);

  private DigestFields() {}

  /**
   * Reads Repr-Digest or Content-Digest, such as {@code sha-256=:base64:, sha-512=:base64:}.
   * Without a content coding both say the same.
   *
   * @return the digests, those of algorithms that are not known here left out
   * @throws IllegalArgumentException if the field is malformed; the message is for the sender
   */
  public static List<Digest> parse(String value) {
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

  /** The value of a Repr-Digest field when nobody said what is wanted: SHA-256 and SHA-512. */
  public static String reprDigest(Digests digests) {
    return reprDigest(digests, DEFAULTS);
  }

  /**
   * The value of a Repr-Digest field as Want-Repr-Digest asks, most wanted first; if there is
   * nothing that is wanted, or the field is malformed, the default.
   *
   * @param wanted such as {@code sha-512=10, sha-256=3, md5=0}
   */
  public static String reprDigest(Digests digests, String wanted) {
    String value = reprDigest(digests, preferred(wanted, "="));
    return value.isEmpty() ? reprDigest(digests) : value;
  }

  /**
   * The value of a Digest field as Want-Digest asks, most wanted first.
   *
   * @param wanted such as {@code SHA-512;q=1, SHA-256;q=1, SHA;q=0.1}
   * @return empty if there is nothing that is wanted
   */
  public static Optional<String> digest(Digests digests, String wanted) {
    String value =
        preferred(wanted, ";q=").stream()
            .flatMap(algorithm -> digests.get(algorithm).stream())
            .map(digest ->
                digest.algorithm().fieldKey().toUpperCase(Locale.ROOT) + '=' + digest.base64())
            .collect(Collectors.joining(","));
    return Optional.of(value).filter(text -> !text.isEmpty());
  }

  private static String reprDigest(Digests digests, List<DigestAlgorithm> algorithms) {
    return algorithms.stream()
        .flatMap(algorithm -> digests.get(algorithm).stream())
        .map(digest -> digest.algorithm().fieldKey() + "=:" + digest.base64() + ':')
        .collect(Collectors.joining(", "));
  }

  /** The known algorithms of a list of preferences, without those of preference 0. */
  private static List<DigestAlgorithm> preferred(String wanted, String separator) {
    List<Preference> preferences = new ArrayList<>();
    for (String member : wanted.split(",", MAX_MEMBERS)) {
      String compact = member.replace(" ", "").replace("\t", "");
      int at = compact.indexOf(separator);
      String key = at < 0 ? compact : compact.substring(0, at);
      double preference = at < 0 ? 1 : number(compact.substring(at + separator.length()));
      DigestAlgorithm.ofFieldKey(key)
          .filter(algorithm -> preference > 0)
          .ifPresent(algorithm -> preferences.add(new Preference(algorithm, preference)));
    }
    return preferences.stream()
        .sorted(Comparator.comparingDouble(Preference::value).reversed())
        .map(Preference::algorithm)
        .distinct()
        .toList();
  }

  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return 0;
    }
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

  private record Preference(DigestAlgorithm algorithm, double value) {}
}
