package io.artifactserver.storage.catalog.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.retention.RetentionRule;
import io.artifactserver.core.retention.RetentionRules;
import io.artifactserver.core.retention.RetentionStore;
import io.artifactserver.core.retention.RetentionStore.Stored;
import io.artifactserver.storage.catalog.CatalogApplication;
import io.artifactserver.storage.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JdbcRetentionStoreTest {
  private static final RetentionRules RULES =
      new RetentionRules(List.of(new RetentionRule("", 3, Duration.ofDays(90))));

  private static final RetentionRules OTHERS =
      new RetentionRules(
          List.of(
              new RetentionRule("a", null, Duration.ofDays(1)), new RetentionRule("b", 2, null)));

  @Test
  void keepsRulesThatDeleteNothingUntilTheyAreActivated() {
    try (CatalogApplication application = new CatalogApplication(TestDatabase.create())) {
      ArtifactCatalog catalog = application.bean(ArtifactCatalog.class);
      RetentionStore store = application.bean(RetentionStore.class);
      assertThat(store.find("r")).isEmpty();
      assertThat(store.put("r", RULES)).isFalse();
      assertThat(catalog.createRepository("r", true, false)).isPresent();
      RetentionRules none = new RetentionRules(List.of());
      assertThat(store.find("r")).contains(new Stored(none, false));
      assertThat(store.put("r", RULES)).isTrue();
      assertThat(store.find("r")).contains(new Stored(RULES, false));
      assertThat(store.active()).isEmpty();

      assertThat(store.activate("r", OTHERS)).isFalse();
      assertThat(store.active()).isEmpty();
      assertThat(store.activate("r", RULES)).isTrue();
      assertThat(store.active()).isEqualTo(Map.of("r", RULES));
      assertThat(store.find("r")).contains(new Stored(RULES, true));

      assertThat(store.put("r", OTHERS)).isTrue();
      assertThat(store.find("r")).contains(new Stored(OTHERS, false));
      assertThat(store.active()).isEmpty();
      assertThat(store.activate("r", OTHERS)).isTrue();
      assertThat(store.active()).isEqualTo(Map.of("r", OTHERS));
      assertThat(store.put("r", none)).isTrue();
      assertThat(store.active()).isEmpty();
    }
  }
}
