package io.artifactserver.storage.catalog.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.access.AccessTokenStore.Position;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.access.Scope;
import io.artifactserver.core.access.TokenSecret;
import io.artifactserver.core.access.TokenWords;
import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.storage.catalog.CatalogApplication;
import io.artifactserver.storage.catalog.CatalogProperties;
import io.artifactserver.storage.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataIntegrityViolationException;

class AccessTokenStoreTest {
  private static CatalogApplication application;
  private static AccessTokenStore store;

  @BeforeAll
  static void start() {
    application = new CatalogApplication(TestDatabase.create());
    store = application.bean(AccessTokenStore.class);
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @Test
  void keepsATokenUntilItIsRevoked() {
    TokenSecret secret = TokenSecret.generate();
    AccessToken token =
        token(secret, Role.DEVICE, Set.of("stable", "beta"), "2026-01-01T00:00:00Z");
    assertThat(store.find(token.id())).isEmpty();
    store.add(token);
    assertThat(store.find(token.id(), Reach.MEMORY)).isEmpty();
    assertThat(store.find(token.id())).contains(token);

    long before = application.statements();
    assertThat(store.find(token.id())).contains(token);
    assertThat(store.find(token.id(), Reach.MEMORY)).contains(token);
    assertThat(application.statements() - before).isZero();
    assertThat(secret.unlocks(store.find(token.id(), Reach.MEMORY).orElseThrow())).isTrue();

    assertThat(store.isRevoked(token.id())).isFalse();
    assertThat(store.revoke(token.id())).isTrue();
    assertThat(store.revoke(token.id())).isFalse();
    assertThat(store.isRevoked(token.id())).isTrue();
    assertThat(all()).doesNotContain(token);
    assertThat(store.find(token.id(), Reach.MEMORY)).isEmpty();
    assertThat(store.find(token.id())).isEmpty();
  }

  /** As another server with the same database does it. */
  @Test
  void learnsOfTokensThatOthersAdd() {
    AccessToken early =
        token(TokenSecret.generate(), Role.DEVICE, Set.of(), "2026-01-01T00:00:00Z");
    store.add(early);
    CachedAccessTokenStore other =
        new CachedAccessTokenStore(
            store, new CatalogProperties(10, Duration.ofMinutes(1), Duration.ZERO), Runnable::run);
    assertThat(other.knows(early.tokenDigest())).isFalse();
    other.refresh();
    assertThat(other.knows(early.tokenDigest())).isTrue();
    AccessToken late = token(TokenSecret.generate(), Role.DEVICE, Set.of(), "2020-01-01T00:00:00Z");
    store.add(late);
    assertThat(store.knows(late.tokenDigest())).isTrue();
    long before = application.statements();
    other.refresh();
    assertThat(application.statements() - before).isEqualTo(1);
    assertThat(other.knows(late.tokenDigest())).isTrue();
    store.revoke(late.id());
    other.forget(late.tokenDigest());
    other.refresh();
    assertThat(other.knows(late.tokenDigest())).isFalse();
    assertThat(other.knows(early.tokenDigest())).isTrue();
  }

  @Test
  void listsPagesByCreationInOneStatementEach() {
    AccessToken newer = token(TokenSecret.generate(), Role.ADMIN, Set.of(), "2036-02-02T00:00:00Z");
    List<AccessToken> older = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      older.add(
          token(
              TokenSecret.generate(),
              Role.DEVICE,
              Set.of("a", "b"),
              "2036-02-01T00:00:00.123456Z"));
    }
    older.sort(Comparator.comparing(AccessToken::id));
    store.add(newer);
    older.reversed().forEach(store::add);
    Position start = new Position(Instant.parse("2036-01-01T00:00:00Z"), "");
    long before = application.statements();
    assertThat(store.list(start, 2)).isEqualTo(older.subList(0, 2));
    assertThat(store.list(Position.of(older.get(1)), 2)).containsExactly(older.get(2), newer);
    assertThat(store.list(Position.of(newer), 2)).isEmpty();
    assertThat(application.statements() - before).isEqualTo(3);
    assertThat(store.admins()).contains(newer).doesNotContainAnyElementsOf(older);
    store.revoke(older.get(1).id());
    assertThat(store.list(Position.of(older.get(1)), 1)).containsExactly(older.get(2));
    store.revoke(newer.id());
    assertThat(store.admins()).doesNotContain(newer);
  }

  private static List<AccessToken> all() {
    return store.list(Position.START, Integer.MAX_VALUE);
  }

  @Test
  void refusesASecondTokenOfTheSameId() {
    AccessToken token =
        token(TokenSecret.generate(), Role.DEVICE, Set.of(), "2026-03-01T00:00:00Z");
    store.add(token);
    assertThatThrownBy(() -> store.add(token)).isInstanceOf(DataIntegrityViolationException.class);
  }

  @Test
  void findsNothingUnderAnIdThatPostgreSqlCannotTake() {
    assertThat(store.find("a\0b")).isEmpty();
    assertThat(store.isRevoked("a\0b")).isFalse();
    assertThat(store.revoke("a\0b")).isFalse();
  }

  @Test
  void letsACertificateInAgain() {
    TokenSecret secret = TokenSecret.generate();
    store.add(token(secret, Role.DEVICE, Set.of("a"), "2026-04-01T00:00:00Z"));
    store.revoke(secret.id());
    AccessToken again = token(secret, Role.DEVICE, Set.of("b"), "2026-04-02T00:00:00Z");
    store.add(again);
    assertThat(store.find(secret.id())).contains(again);
    assertThat(store.isRevoked(secret.id())).isFalse();
  }

  @Test
  void keepsScopeWordsAndExpiry() {
    Labels labels = Labels.of(Map.of("ring", "canary", "site", "a=b, {c}"));
    Instant expires = Instant.parse("2030-01-01T00:00:00Z");
    AccessToken token =
        token(TokenSecret.generate(), Role.PUBLISHER, Set.of(), "2026-05-01T00:00:00Z")
            .with(
                new TokenWords("ci", "of the nightly build", labels),
                new Scope(Set.of("a", "b"), Set.of("stable", "fw-*")),
                expires);
    store.add(token);
    assertThat(store.find(token.id())).contains(token);
    assertThat(all()).contains(token);
    // In the cache, so that the cache has to forget it.
    assertThat(store.label(token.id(), Labels.NONE)).isTrue();
    assertThat(store.find(token.id())).contains(token.with(Labels.NONE));
    store.revoke(token.id());
    assertThat(store.label(token.id(), labels)).isFalse();
    assertThat(store.label("\0", labels)).isFalse();
  }

  @Test
  void aReplacedTokenExpiresAfterTheOverlapAndNotLater() {
    Instant until = Instant.parse("2027-01-01T00:00:00Z");
    AccessToken old = token(TokenSecret.generate(), Role.DEVICE, Set.of(), "2026-06-01T00:00:00Z");
    AccessToken replacement =
        token(TokenSecret.generate(), Role.DEVICE, Set.of(), "2026-06-02T00:00:00Z");
    store.add(old);
    // In the cache, so that the cache has to forget it.
    assertThat(store.find(old.id()).map(AccessToken::expiresAt)).contains(AccessToken.NEVER);
    assertThat(store.replace(old.id(), replacement, until)).isTrue();
    assertThat(store.find(old.id()).map(AccessToken::expiresAt)).contains(until);
    assertThat(store.find(replacement.id())).contains(replacement);
    AccessToken next = token(TokenSecret.generate(), Role.DEVICE, Set.of(), "2026-06-03T00:00:00Z");
    assertThat(store.replace(old.id(), next, until.plusSeconds(60))).isTrue();
    assertThat(store.find(old.id()).map(AccessToken::expiresAt)).contains(until);
    store.revoke(next.id());
    AccessToken none = token(TokenSecret.generate(), Role.DEVICE, Set.of(), "2026-06-04T00:00:00Z");
    assertThat(store.replace(next.id(), none, until)).isFalse();
    assertThat(store.find(none.id())).isEmpty();
  }

  @Test
  void keepsTheLastUseAndForgetsNoLaterOne() {
    AccessToken token =
        token(TokenSecret.generate(), Role.DEVICE, Set.of(), "2026-07-01T00:00:00Z");
    store.add(token);
    assertThat(store.lastUses(List.of(token.id(), "absent"))).isEmpty();
    Instant later = Instant.parse("2026-07-03T00:00:00Z");
    store.used(Map.of(token.id(), later, "absent", later));
    store.used(Map.of(token.id(), later.minusSeconds(60)));
    assertThat(store.lastUses(List.of(token.id(), "absent"))).isEqualTo(Map.of(token.id(), later));
    assertThat(store.lastUses(List.of())).isEmpty();
  }

  private static AccessToken token(
      TokenSecret secret, Role role, Set<String> repositories, String createdAt) {
    return secret.toAccessToken("line 4", role, repositories, Instant.parse(createdAt));
  }
}
