package io.artifactserver.core.access;

import io.artifactserver.core.access.LinkRefusedException.Reason;
import java.time.Duration;
import java.time.Instant;

/**
 * Which links are good. Nothing here asks a database. Immutable, thread-safe.
 *
 * @param maxExpiry how far ahead a link's expiry may lie
 * @param skew how far the signer's clock may be ahead of ours. It makes no link live longer: the
 *     expiry counts by our clock.
 */
public record LinkRules(Duration maxExpiry, Duration skew) {
  /**
   * Verifies a link for a request: its signature, then its terms.
   *
   * @param method of the request
   */
  public void verify(SignedLink link, LinkKeys keys, String method, Instant now)
      throws LinkRefusedException {
    LinkKey key =
        keys.key(link.keyId()).orElseThrow(() -> new LinkRefusedException(Reason.NOT_SIGNED));
    if (!key.signed(link.terms(), link.signature())) {
      throw new LinkRefusedException(Reason.NOT_SIGNED);
    }
    if (!link.terms().method().allows(method)) {
      throw new LinkRefusedException(Reason.OTHER_METHOD);
    }
    long second = now.getEpochSecond();
    if (second >= link.terms().expires()) {
      throw new LinkRefusedException(Reason.EXPIRED);
    }
    if (second + skew.toSeconds() < link.terms().notBefore()) {
      throw new LinkRefusedException(Reason.NOT_YET);
    }
    if (isTooLong(link.terms(), now.plus(skew))) {
      throw new LinkRefusedException(Reason.TOO_LONG);
    }
  }

  /** Whether a link that was verified once is good still: neither expired nor revoked. */
  public boolean isStillGood(SignedLink link, LinkKeys keys, Instant now) {
    return now.getEpochSecond() < link.terms().expires() && keys.key(link.keyId()).isPresent();
  }

  /** Whether the expiry lies further ahead than it may. */
  public boolean isTooLong(LinkTerms terms, Instant now) {
    // It is a whole second, rounded up.
    return !Instant.ofEpochSecond(terms.expires() - 1).isBefore(now.plus(maxExpiry));
  }
}
