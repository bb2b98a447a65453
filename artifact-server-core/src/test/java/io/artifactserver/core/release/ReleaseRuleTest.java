package io.artifactserver.core.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nobody releases artifacts that the rule refuses, and those it has looked at do not change. */
class ReleaseRuleTest {
  private static final Channel STABLE = new Channel("boards", "stable");
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final InMemoryArtifactCatalog catalog = new InMemoryArtifactCatalog(() -> NOW);
  private final Set<String> refused = new HashSet<>();
  private final Set<String> asked = new HashSet<>(Set.of("boards"));
  private final ChannelBook book =
      new ChannelBook(new InMemoryChannelStore(), catalog, new Rule(), () -> NOW, _ -> {});

  @BeforeEach
  void fill() {
    Digest digest = new Digest(DigestAlgorithm.SHA_256, "a".repeat(64));
    for (String repository : List.of("boards", "others")) {
      catalog.createRepository(repository, true, false);
      for (String path : List.of("1.0/fw", "1.1/fw")) {
        catalog.add(
            new ArtifactId(repository, path),
            "text/plain",
            new BlobRef(BlobRef.newKey(), 1),
            new Digests(Map.of(DigestAlgorithm.SHA_256, digest)));
      }
    }
  }

  @Test
  void neitherPointingNorRollingBackReleasesWhatIsRefused() throws Exception {
    refused.add("1.1");
    assertThatThrownBy(() -> book.point(STABLE, "1.1", Rollout.ALL, "", _ -> {}))
        .isInstanceOf(ReleaseException.Unsigned.class)
        .hasMessageContaining("boards/1.1/fw");
    assertThat(book.find(STABLE)).isEmpty();
    book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {});
    refused.clear();
    ChannelState last = book.point(STABLE, "1.1", Rollout.ALL, "", _ -> {});
    refused.add("1.0");
    assertThatThrownBy(() -> book.rollBack(STABLE, "", _ -> {}))
        .isInstanceOf(ReleaseException.Unsigned.class);
    assertThat(book.find(STABLE)).contains(last);
    refused.clear();
    assertThat(book.rollBack(STABLE, "", _ -> {}).release()).isEqualTo("1.0");
  }

  @Test
  void aReleaseThatAChannelServesTakesNothingElse() throws Exception {
    ArtifactId id = new ArtifactId("boards", "1.0/new");
    assertThat(book.<String>unlessSealed(id, () -> "added")).isEqualTo("added");
    book.point(STABLE, "1.0", Rollout.ALL, "", _ -> {});
    assertThatThrownBy(() ->
            book.unlessSealed(
                id,
                () -> {
                  throw new AssertionError("changed");
                }))
        .isInstanceOf(ReleaseException.Sealed.class)
        .hasMessageContaining("stable");
    assertThat(book.<String>unlessSealed(new ArtifactId("boards", "1.1/new"), () -> "added"))
        .isEqualTo("added");
    asked.clear();
    assertThat(book.<String>unlessSealed(id, () -> "added")).isEqualTo("added");
  }

  private final class Rule implements ReleaseRule {
    @Override
    public void requireReleasable(ArtifactId release) throws ReleaseException.Unsigned {
      if (refused.contains(release.path())) {
        throw new ReleaseException.Unsigned(
            new ArtifactId(release.repository(), release.path() + "/fw"));
      }
    }

    @Override
    public boolean isAsked(String repository) {
      return asked.contains(repository);
    }
  }
}
