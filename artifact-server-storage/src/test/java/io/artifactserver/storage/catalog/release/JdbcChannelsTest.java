package io.artifactserver.storage.catalog.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.release.Channel;
import io.artifactserver.core.release.ChannelState;
import io.artifactserver.core.release.ChannelStore;
import io.artifactserver.storage.catalog.CatalogApplication;
import io.artifactserver.storage.postgres.TestDatabase;
import java.time.Instant;
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
    ChannelState first = new ChannelState(STABLE, 1, "1.0", 1, "", THEN);
    ChannelState second = new ChannelState(STABLE, 2, "a/1.1", 2, "größer", THEN.plusSeconds(1));
    ChannelState back = new ChannelState(STABLE, 3, "1.0", 1, "back", THEN.plusSeconds(2));
    ChannelState elsewhere =
        new ChannelState(new Channel("other", "stable"), 1, "1.0", 1, "", THEN);
    ChannelState beta = new ChannelState(new Channel("edge", "beta"), 1, "2.0", 1, "", THEN);
    ChannelState noBeta = new ChannelState(beta.channel(), 2, null, 2, "", THEN);
    for (ChannelState state : new ChannelState[] {first, second, back, elsewhere, beta, noBeta}) {
      assertThat(store.add(state)).isTrue();
    }
    assertThat(store.add(new ChannelState(new Channel("absent", "x"), 1, "1.0", 1, "", THEN)))
        .isFalse();
    assertThat(store.current()).containsExactlyInAnyOrder(back, elsewhere);
    assertThat(store.history(STABLE, Long.MAX_VALUE, 10)).containsExactly(back, second, first);
    assertThat(store.history(STABLE, 3, 1)).containsExactly(second);
    assertThat(store.history(beta.channel(), Long.MAX_VALUE, 10)).containsExactly(noBeta, beta);
    assertThat(store.lastOther(STABLE, 3, "1.0")).contains(second);
    assertThat(store.lastOther(STABLE, 2, "1.0")).isEmpty();
    assertThat(store.lastOther(beta.channel(), 3, "1.0")).contains(beta);
    // Of two servers that both believe to be the only one, one fails.
    assertThatThrownBy(() -> store.add(new ChannelState(STABLE, 3, "1.2", 3, "", THEN)))
        .isInstanceOf(DuplicateKeyException.class);
  }
}
