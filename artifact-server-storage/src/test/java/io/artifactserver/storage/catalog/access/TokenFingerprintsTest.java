package io.artifactserver.storage.catalog.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.InMemoryAccessTokenStore;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.access.TokenDigest;
import io.artifactserver.core.access.TokenSecret;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TokenFingerprintsTest {
  private final InMemoryAccessTokenStore store = new InMemoryAccessTokenStore();
  private final AtomicLong nanos = new AtomicLong(1);
  private final TokenFingerprints fingerprints = new TokenFingerprints(store, nanos::get);

  /** More than a page, and exactly one. */
  @Test
  void knowsAllTokensOnceTheyAreRead() {
    List<TokenDigest> added = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      added.add(add());
    }
    fingerprints.refresh();
    assertThat(added).allMatch(each -> fingerprints.contains(each.fingerprint()));
    added.add(add());
    assertThat(fingerprints.contains(added.getLast().fingerprint())).isFalse();
    fingerprints.refresh();
    assertThat(added).allMatch(each -> fingerprints.contains(each.fingerprint()));
  }

  @Test
  void anotherSecretOfTheIdIsNotKnown() {
    TokenDigest good = add();
    fingerprints.refresh();
    assertThat(
            fingerprints.contains(new TokenDigest(good.id(), add().secretDigest()).fingerprint()))
        .isFalse();
    assertThat(
            fingerprints.contains(new TokenDigest(add().id(), good.secretDigest()).fingerprint()))
        .isFalse();
  }

  @Test
  void forgetsATokenUntilItIsAddedAgain() {
    TokenDigest kept = add();
    long early = kept.fingerprint();
    fingerprints.refresh();
    fingerprints.add(4711);
    for (long each : new long[] {early, 4711}) {
      fingerprints.remove(each);
      assertThat(fingerprints.contains(each)).isFalse();
    }
    store.revoke(kept.id());
    fingerprints.refresh();
    for (long each : new long[] {early, 4711}) {
      assertThat(fingerprints.contains(each)).isFalse();
      fingerprints.add(each);
      assertThat(fingerprints.contains(each)).isTrue();
    }
    fingerprints.refresh();
    assertThat(fingerprints.contains(early)).isTrue();
    assertThat(fingerprints.contains(4711)).isTrue();
  }

  /** One that another server revoked is not missed before. */
  @Test
  void readsAllAgainAfterAnHour() {
    TokenDigest revoked = add();
    fingerprints.refresh();
    store.revoke(revoked.id());
    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    fingerprints.refresh();
    assertThat(fingerprints.contains(revoked.fingerprint())).isTrue();
    nanos.addAndGet(Duration.ofHours(1).toNanos());
    fingerprints.refresh();
    assertThat(fingerprints.contains(revoked.fingerprint())).isFalse();
  }

  private TokenDigest add() {
    AccessToken token =
        TokenSecret.generate().toAccessToken("device", Role.DEVICE, Set.of(), Instant.EPOCH);
    store.add(token);
    return token.tokenDigest();
  }
}
