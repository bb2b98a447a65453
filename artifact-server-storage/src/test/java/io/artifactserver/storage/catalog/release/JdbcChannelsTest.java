package io.artifactserver.storage.catalog.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.audit.AuditLog;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.limit.Network;
import io.artifactserver.core.release.Channel;
import io.artifactserver.core.release.ChannelState;
import io.artifactserver.core.release.ChannelStore;
import io.artifactserver.core.release.Rollout;
import io.artifactserver.core.release.StopRule;
import io.artifactserver.core.release.TimeWindow;
import io.artifactserver.storage.catalog.CatalogApplication;
import io.artifactserver.storage.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DuplicateKeyException;

/** Channels in a real PostgreSQL. */
class JdbcChannelsTest {
  private static final Instant THEN = Instant.parse("2026-01-01T00:00:00.123456Z");
  private static final Channel STABLE = new Channel("edge", "stable");

  private static CatalogApplication application;
  private static ChannelStore store;

  @BeforeAll
  static void start() {
    application = new CatalogApplication(TestDatabase.create());
    ArtifactCatalog catalog = application.bean(ArtifactCatalog.class);
    catalog.createRepository("edge", true, false);
    catalog.createRepository("other", true, false);
    store = application.bean(ChannelStore.class);
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @Test
  void keepsEachStateAndKnowsTheLast() {
    assertThat(store.current()).isEmpty();
    assertThat(store.history(STABLE, Long.MAX_VALUE, 10)).isEmpty();
    ChannelState first = new ChannelState(STABLE, 1, "1.0", Rollout.ALL, 1, "", THEN);
    ChannelState second =
        new ChannelState(STABLE, 2, "a/1.1", Rollout.ALL, 2, "größer", THEN.plusSeconds(1));
    ChannelState back =
        new ChannelState(STABLE, 3, "1.0", Rollout.ALL, 1, "back", THEN.plusSeconds(2));
    ChannelState elsewhere =
        new ChannelState(new Channel("other", "stable"), 1, "1.0", Rollout.ALL, 1, "", THEN);
    ChannelState beta =
        new ChannelState(new Channel("edge", "beta"), 1, "2.0", Rollout.ALL, 1, "", THEN);
    ChannelState noBeta = new ChannelState(beta.channel(), 2, null, Rollout.ALL, 2, "", THEN);
    for (ChannelState state : new ChannelState[] {first, second, back, elsewhere, beta, noBeta}) {
      assertThat(store.add(state, () -> {})).isTrue();
    }
    assertThat(
            store.add(
                new ChannelState(new Channel("absent", "x"), 1, "1.0", Rollout.ALL, 1, "", THEN),
                () -> {
                  throw new IllegalStateException("nothing was added");
                }))
        .isFalse();
    assertThat(store.current()).containsExactlyInAnyOrder(back, elsewhere);
    assertThat(store.history(STABLE, Long.MAX_VALUE, 10)).containsExactly(back, second, first);
    assertThat(store.history(STABLE, 3, 1)).containsExactly(second);
    assertThat(store.history(beta.channel(), Long.MAX_VALUE, 10)).containsExactly(noBeta, beta);
    assertThat(store.lastOther(STABLE, 3, "1.0")).contains(second);
    assertThat(store.pointing("edge", Set.of("1.0", "2.0"), 10)).containsExactly(back, beta, first);
    assertThat(store.pointing("edge", Set.of("1.0"), 1)).containsExactly(back);
    assertThat(store.pointing("edge", Set.of(), 1)).isEmpty();
    assertThat(store.lastOther(STABLE, 2, "1.0")).isEmpty();
    assertThat(store.lastOther(beta.channel(), 3, "1.0")).contains(beta);
    // Of two servers that both believe to be the only one, one fails.
    assertThatThrownBy(
            () -> store.add(new ChannelState(STABLE, 3, "1.2", Rollout.ALL, 3, "", THEN), () -> {}))
        .isInstanceOf(DuplicateKeyException.class);
  }

  @Test
  void keepsWhichDevicesGetIt() {
    Channel staged = new Channel("other", "staged");
    ChannelState some =
        new ChannelState(
            staged,
            1,
            "1.1",
            new Rollout(
                7,
                "1.0",
                true,
                List.of("lab-*", "a, {b}\""),
                Labels.of(Map.of("ring", "canary", "site", "a=b, {c}\"")),
                List.of(Network.parse("10.1.0.0/16"), Network.parse("2001:db8::/32")),
                List.of(
                    TimeWindow.parse("22:00-04:00"),
                    TimeWindow.parse("Mon-Wed,Sun 01:30-04:00 Europe/Berlin")),
                new StopRule(5, Duration.ofHours(2).plusNanos(1), 4, Duration.ofSeconds(90))),
            1,
            "",
            THEN);
    ChannelState all = new ChannelState(staged, 2, "1.1", Rollout.ALL, 2, "", THEN);
    assertThat(store.add(some, () -> {})).isTrue();
    assertThat(store.history(staged, 9, 9)).containsExactly(some);
    assertThat(store.add(all, () -> {})).isTrue();
    assertThat(store.history(staged, 9, 9)).containsExactly(all, some);
    assertThat(store.add(new ChannelState(staged, 3, null, Rollout.ALL, 3, "", THEN), () -> {}))
        .isTrue();
  }

  /** The audit and whoever is to be told write theirs beside it. */
  @Test
  void whatElseIsWrittenStandsOrFallsWithTheState() {
    AuditLog audit = application.bean(AuditLog.class);
    Channel audited = new Channel("other", "audited");
    ChannelState state = new ChannelState(audited, 1, "1.0", Rollout.ALL, 1, "", THEN);
    long before = audit.lastId();
    assertThatThrownBy(() ->
            store.add(
                state,
                () -> {
                  audit.append("{}");
                  throw new IllegalStateException("no");
                }))
        .hasMessage("no");
    assertThat(store.history(audited, 9, 9)).isEmpty();
    assertThat(audit.lastId()).isEqualTo(before);
    assertThat(store.add(state, () -> audit.append("{}"))).isTrue();
    assertThat(audit.lastId()).isEqualTo(before + 1);
    store.add(new ChannelState(audited, 2, null, Rollout.ALL, 2, "", THEN), () -> {});
  }
}
