package io.artifactserver.core.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Hold;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.ingest.Quota;
import io.artifactserver.core.release.Channel;
import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.core.release.InMemoryChannelStore;
import io.artifactserver.core.release.Rollout;
import io.artifactserver.core.retire.ArtifactRetirement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RetentionTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final AtomicReference<Instant> now = new AtomicReference<>(START);
  private final InMemoryArtifactCatalog catalog = new InMemoryArtifactCatalog(now::get);
  private final ChannelBook channels = InMemoryChannelStore.book(catalog, now::get);
  private final Rules store = new Rules();
  private final Retention retention =
      new Retention(
          catalog,
          new ArtifactRetirement(
              catalog,
              catalog,
              BlobStores.of(new InMemoryBlobStore()),
              new Quota(1_000_000, 1_000_000, 0),
              channels,
              Duration.ZERO,
              now::get),
          store,
          channels,
          now::get);

  @BeforeEach
  void create() {
    assertThat(catalog.createRepository("r", true, false)).isPresent();
    assertThat(catalog.createRepository("other", true, false)).isPresent();
  }

  @Test
  void keepsTheNewestReleasesAsAWhole() {
    put("board/1.0/a", "board/1.0/b", "board/1.1/a", "board/1.2/a", "board/single", "else/1.0/a");
    // A release is as old as its newest artifact.
    put("board/1.0/c");
    assertThat(goes(new RetentionRule("board", 2, null)))
        .containsExactly("board/1.1/a", "board/1.2/a");
    assertThat(goes(new RetentionRule("", 1, null))).containsExactly("else/1.0/a");
    assertThat(goes(new RetentionRule("boar", 1, null))).isEmpty();
  }

  @Test
  void keepsWhatIsYoungOrAmongTheNewest() {
    put("1/a", "2/a", "3/a");
    now.set(now.get().plus(Duration.ofDays(10)));
    put("4/a");
    assertThat(goes(new RetentionRule("", null, Duration.ofDays(11)))).isEmpty();
    assertThat(goes(new RetentionRule("", null, Duration.ofDays(9))))
        .containsExactly("1/a", "2/a", "3/a");
    assertThat(goes(new RetentionRule("", 2, Duration.ofDays(9)))).containsExactly("1/a", "2/a");
  }

  @Test
  void holdsAndChannelsWin() throws Exception {
    put("1/a", "1/c", "pointed/a", "points/a", "pointless/a", "2/a");
    catalog.hold(new ArtifactId("r", "1/a"), new Hold(now.get().plusSeconds(1_000), "recall"));
    Channel stable = new Channel("r", "stable");
    channels.point(stable, "pointed", Rollout.ALL, "", _ -> {});
    channels.point(stable, "points", Rollout.ALL, "", _ -> {});
    RetentionRules rules = new RetentionRules(List.of(new RetentionRule("", 1, null)));
    Retention.Plan plan = retention.plan("r", rules, 10);
    assertThat(plan.goes()).map(Artifact::path).containsExactly("1/c", "pointless/a");
    assertThat(plan)
        .extracting(Retention.Plan::held, Retention.Plan::released)
        .containsExactly(1L, 2L);
    store.active = Map.of("r", rules);
    assertThat(run()).containsExactly("1/c", "pointless/a");
    assertThat(catalog.list("r", "", "", 10))
        .map(Artifact::path)
        .containsExactly("1/a", "2/a", "pointed/a", "points/a");
    assertThat(run()).isEmpty();
  }

  @Test
  void deletesByActiveRulesOnly() {
    put("1/a", "2/a");
    assertThat(run()).isEmpty();
    store.active = Map.of("other", new RetentionRules(List.of(new RetentionRule("", 1, null))));
    assertThat(run()).isEmpty();
    assertThat(catalog.list("r", "", "", 10)).hasSize(2);
  }

  @Test
  void aPlanCountsMoreThanItNames() {
    put("1/a", "2/a", "3/a", "4/a");
    Retention.Plan plan =
        retention.plan("r", new RetentionRules(List.of(new RetentionRule("", 1, null))), 2);
    assertThat(plan.goes()).hasSize(2);
    assertThat(plan.count()).isEqualTo(3);
    assertThat(plan.bytes()).isEqualTo(3L * "1/a".length());
  }

  @Test
  void rulesDoNotOverlapAndKeepSomething() {
    RetentionRule all = new RetentionRule("", 1, null);
    RetentionRule board = new RetentionRule("board", 1, null);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RetentionRules(List.of(board, all)))
        .withMessageContaining("same paths");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RetentionRules(List.of(board, board)));
    assertThat(new RetentionRules(List.of(board, new RetentionRule("board2", 1, null))).rules())
        .hasSize(2);
    assertThatIllegalArgumentException().isThrownBy(() -> new RetentionRule("", null, null));
    assertThatIllegalArgumentException().isThrownBy(() -> new RetentionRule("", 0, null));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RetentionRule("", null, Duration.ZERO));
    assertThatThrownBy(() -> new RetentionRule("a/", 1, null))
        .isInstanceOf(InvalidNameException.class);
    assertThat(new RetentionRules(List.of(board)).revision())
        .isNotEqualTo(new RetentionRules(List.of(all)).revision())
        .isEqualTo(new RetentionRules(List.of(new RetentionRule("board", 1, null))).revision());
  }

  private List<String> goes(RetentionRule rule) {
    return retention.plan("r", new RetentionRules(List.of(rule)), 100).goes().stream()
        .map(Artifact::path)
        .toList();
  }

  private List<String> run() {
    List<String> deleted = new ArrayList<>();
    retention.run(artifact -> deleted.add(artifact.path()));
    return deleted;
  }

  /** Each a second after the one before. */
  private void put(String... paths) {
    for (String path : paths) {
      now.set(now.get().plusSeconds(1));
      BlobRef blob = new BlobRef(UUID.randomUUID().toString().replace("-", ""), path.length());
      byte[] text = path.getBytes(StandardCharsets.UTF_8);
      Digest sha256 =
          Digest.of(
              DigestAlgorithm.SHA_256, DigestAlgorithm.SHA_256.newMessageDigest().digest(text));
      catalog.add(
          new ArtifactId("r", path),
          "a/b",
          blob,
          new Digests(Map.of(DigestAlgorithm.SHA_256, sha256)));
    }
  }

  private static final class Rules implements RetentionStore {
    private Map<String, RetentionRules> active = Map.of();

    @Override
    public Optional<Stored> find(String repository) {
      return Optional.empty();
    }

    @Override
    public boolean put(String repository, RetentionRules rules) {
      return false;
    }

    @Override
    public boolean activate(String repository, RetentionRules rules) {
      return false;
    }

    @Override
    public Map<String, RetentionRules> active() {
      return active;
    }
  }
}
