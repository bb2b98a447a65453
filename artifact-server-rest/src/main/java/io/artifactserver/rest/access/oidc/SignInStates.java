package io.artifactserver.rest.access.oidc;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.access.InstallationSecret;
import java.net.URI;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;

/**
 * Makes and checks the {@code state} of a sign-in: its expiry, signed together with the challenge
 * of its verifier (RFC 7636) and the address of its page. So the provider is asked only about codes
 * of sign-ins that began here. Any server of the database takes what another one made; each takes
 * it once. Thread-safe.
 */
final class SignInStates {
  static final Duration LIFETIME = Duration.ofMinutes(10);

  private static final String PURPOSE = "artifact-server-sign-in-v1";
  private static final int LENGTH = Long.BYTES + 32;

  /** Some 5 MB; 33 sign-ins a second. */
  private static final int MAX_USED = 20_000;

  private final InstallationSecret secret;
  private final InstantSource clock;
  private final Cache<String, Boolean> used =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .maximumSize(MAX_USED)
          .expireAfterWrite(LIFETIME)
          .build();

  SignInStates(InstallationSecret secret, InstantSource clock) {
    this.secret = secret;
    this.clock = clock;
  }

  /** Makes the state of a sign-in that begins now. */
  String issue(String challenge, URI redirect) {
    return text(clock.instant().plus(LIFETIME).getEpochSecond(), challenge, redirect);
  }

  /**
   * Whether a server of this database made the state for this challenge and page, it has not
   * expired, and it was not taken here before.
   */
  boolean take(String state, String challenge, URI redirect) {
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(state);
    } catch (IllegalArgumentException e) {
      return false;
    }
    if (bytes.length != LENGTH) {
      return false;
    }
    long expiry = ByteBuffer.wrap(bytes).getLong();
    return MessageDigest.isEqual(bytes, bytes(expiry, challenge, redirect))
        && expiry > clock.instant().getEpochSecond()
        && used.asMap().putIfAbsent(text(expiry, challenge, redirect), Boolean.TRUE) == null;
  }

  /** The provider could not be asked: the state may be taken once more. */
  void giveBack(String state) {
    used.invalidate(state);
  }

  private String text(long expiry, String challenge, URI redirect) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(bytes(expiry, challenge, redirect));
  }

  private byte[] bytes(long expiry, String challenge, URI redirect) {
    byte[] signature = secret.sign(PURPOSE, "%d\n%s\n%s".formatted(expiry, challenge, redirect));
    return ByteBuffer.allocate(LENGTH).putLong(expiry).put(signature).array();
  }
}
