package io.artifactserver.storage.catalog.artifact;

import static io.artifactserver.storage.catalog.TestContent.digests;
import static io.artifactserver.storage.catalog.TestContent.newBlob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.access.Scope;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog.Addition;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Content;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.catalog.PathPolicy;
import io.artifactserver.core.catalog.PathRange;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.catalog.RepositoryChange;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.storage.catalog.InstallationId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Repositories, and how their artifacts are added, found and listed. */
class JdbcArtifactCatalogTest extends JdbcCatalogFixture {
  @Test
  void createsARepositoryOnce() {
    Repository created = catalog.createRepository(repository, true, false).orElseThrow();
    assertThat(created.createdAt()).isEqualTo(now());
    assertThat(catalog.createRepository(repository, false, true)).isEmpty();
    assertThat(catalog.repository(repository)).contains(created);
    assertThat(catalog.repositories()).contains(created);
    assertThat(catalog.repository("no-" + repository)).isEmpty();
    assertThat(catalog.repository("\0")).isEmpty();
    assertThatThrownBy(() -> catalog.createRepository("a/b", true, false))
        .isInstanceOf(InvalidNameException.class);
  }

  @Test
  void redirectsARepositoryUntilToldOtherwise() {
    Repository created = catalog.createRepository(repository, true, false).orElseThrow();
    assertThat(created.redirects()).isFalse();
    added("a", newBlob(text));
    assertThat(
            catalog
                .changeRepository(repository, new RepositoryChange(true, null, null))
                .orElseThrow())
        .isEqualTo(
            new Repository(repository, true, false, true, PathPolicy.DEFAULT, created.createdAt()));
    assertThat(catalog.find(id("a")).orElseThrow().repository().redirects()).isTrue();
    assertThat(catalog.changeRepository(repository, new RepositoryChange(false, null, null)))
        .contains(created);
    assertThat(catalog.changeRepository("no-" + repository, new RepositoryChange(true, null, null)))
        .isEmpty();
    assertThat(catalog.changeRepository("a/b", new RepositoryChange(true, null, null))).isEmpty();
  }

  @Test
  void addsAndFindsAnArtifact() {
    Repository created = catalog.createRepository(repository, false, true).orElseThrow();
    BlobRef blob = newBlob(text);
    Artifact added = added("a/b.bin", blob);
    assertThat(added)
        .isEqualTo(
            new Artifact(
                created, "a/b.bin", blob, "application/octet-stream", digests(text), now()));
    assertThat(catalog.find(id("a/b.bin"))).contains(added);
    assertThat(catalog.find(id("a"))).isEmpty();
    assertThat(catalog.find(new ArtifactId("no-" + repository, "a/b.bin"))).isEmpty();
  }

  @Test
  void namesTheArtifactThatHasThePath() {
    create(false);
    Artifact existing = added("a", newBlob(text));
    BlobRef other = newBlob("other");
    assertThat(catalog.add(id("a"), "text/plain", other, digests("other " + repository)))
        .isEqualTo(new Addition.PathTaken(existing));
    assertThat(catalog.share(id("a"), "text/plain", digests("other " + repository)))
        .contains(new Addition.PathTaken(existing));
    assertThat(register.known(List.of(other.key()))).isEmpty();
  }

  @Test
  void missesTheRepository() {
    BlobRef blob = newBlob(text);
    assertThat(catalog.add(id("a"), "text/plain", blob, digests(text)))
        .isEqualTo(new Addition.NoRepository());
    assertThat(catalog.share(id("a"), "text/plain", digests(text)))
        .contains(new Addition.NoRepository());
    assertThat(register.known(List.of(blob.key()))).isEmpty();
  }

  @Test
  void addsADigestThatWasUnknownBefore() {
    create(false);
    Map<DigestAlgorithm, Digest> old = new EnumMap<>(digests(text).values());
    old.remove(DigestAlgorithm.SHA_512);
    catalog.add(id("a"), "text/plain", newBlob(text), new Digests(old));
    assertThat(catalog.find(id("a")).orElseThrow().digests().get(DigestAlgorithm.SHA_512))
        .isEmpty();
    catalog.share(id("b"), "text/plain", digests(text));
    assertThat(catalog.find(id("a")).orElseThrow().digests()).isEqualTo(digests(text));
  }

  @Test
  void findsContentByEveryDigest() {
    create(true);
    added("a", newBlob(text));
    Artifact artifact = added("b", newBlob(text));
    for (Digest digest : digests(text).values().values()) {
      assertThat(catalog.findContent(digest))
          .contains(
              new Content(
                  artifact.blob(),
                  digests(text),
                  artifact.createdAt(),
                  Set.of(artifact.repository())));
    }
    assertThat(catalog.findContent(digests("x" + repository).sha256())).isEmpty();
    catalog.remove(id("a"));
    catalog.remove(id("b"));
    assertThat(catalog.findContent(digests(text).sha256())).isEmpty();
  }

  @Test
  void aForgedDigestGivesNoAccess() {
    Repository victim = catalog.createRepository(repository, true, false).orElseThrow();
    added("a", newBlob(text));
    application.clock().advance(Duration.ofSeconds(1));
    Repository attacker = catalog.createRepository(repository + "x", true, false).orElseThrow();
    Map<DigestAlgorithm, Digest> forged = new EnumMap<>(digests("forged" + repository).values());
    forged.put(DigestAlgorithm.MD5, digests(text).get(DigestAlgorithm.MD5).orElseThrow());
    catalog.add(
        new ArtifactId(attacker.name(), "a"), "text/plain", newBlob("forged"), new Digests(forged));
    assertThat(catalog.findContent(digests(text).get(DigestAlgorithm.MD5).orElseThrow()))
        .hasValueSatisfying(content -> {
          assertThat(content.digests()).isEqualTo(digests(text));
          assertThat(content.repositories()).containsExactly(victim);
        });
  }

  @Test
  void listsByCodePointInPages() {
    create(false);
    List<String> paths =
        new ArrayList<>(
            List.of(
                "a",
                "a%",
                "a%b",
                "a_b",
                "aXb",
                "a/1",
                "a/2",
                "b",
                "B",
                "\u00e9",
                "e\u0301",
                "\uFFFD",
                "\uE000",
                Character.toString(0x1F600),
                Character.toString(0x10FFFF),
                Character.toString(0x10FFFF) + "x",
                "a" + Character.toString(0x10FFFF)));
    paths.forEach(path -> added(path, newBlob(text)));
    paths.sort(Comparator.comparing((String path) -> path.codePoints().toArray(), Arrays::compare));
    assertThat(pathsOf("", 100)).isEqualTo(paths);
    assertThat(pathsOf("", 3)).isEqualTo(paths);
    for (String prefix :
        List.of("a", "a%", "a_", "a/", "\uE000", Character.toString(0x10FFFF), "zzz", "a\uFFFD")) {
      assertThat(pathsOf(prefix, 2))
          .as(prefix)
          .isEqualTo(paths.stream().filter(path -> path.startsWith(prefix)).toList());
    }
    Scope scope = new Scope(Set.of(), Set.of("a", "a_*", "\uE000*", "b"));
    List<String> inScope = paths.stream().filter(path -> scope.includes(id(path))).toList();
    assertThat(inScope).hasSizeGreaterThan(4);
    for (int limit = 1; limit < 5; limit++) {
      assertThat(pathsOf(scope.ranges(""), limit)).isEqualTo(inScope);
    }
    assertThat(pathsOf(scope.ranges("c"), 1)).isEmpty();
    assertThat(catalog.list(repository, "", "a", 0)).isEmpty();
    assertThat(catalog.list("no-" + repository, "", "", 10)).isEmpty();
    assertThatThrownBy(() -> catalog.list(repository, "\uD800", "", 10))
        .isInstanceOf(InvalidNameException.class);
  }

  @Test
  void asksTheDatabaseSeldom() {
    create(false);
    for (int i = 0; i < 20; i++) {
      catalog.add(id("p" + i), "text/plain", newBlob(text), digests(text + i));
    }
    assertThat(statementsOf(() -> catalog.find(id("p1")))).isEqualTo(1);
    assertThat(statementsOf(() -> catalog.list(repository, "", "", 20))).isEqualTo(1);
    assertThat(statementsOf(() -> catalog.findContent(digests(text + 1).sha256()))).isEqualTo(2);
    assertThat(statementsOf(() -> register.known(List.of("a", "b", "c")))).isEqualTo(1);
    assertThat(statementsOf(() -> catalog.find(id("p1"), Reach.MEMORY))).isZero();
    assertThat(statementsOf(() -> catalog.usedPath(id("p1")))).isLessThanOrEqualTo(1);
  }

  @Test
  void hasOneInstallationId() {
    assertThat(application.bean(InstallationId.class).value().version()).isEqualTo(4);
  }

  private List<String> pathsOf(String prefix, int limit) {
    return pathsOf(List.of(PathRange.beginningWith(prefix)), limit);
  }

  private List<String> pathsOf(List<PathRange> ranges, int limit) {
    List<String> paths = new ArrayList<>();
    List<Artifact> page = catalog.list(repository, ranges, "", limit);
    while (!page.isEmpty()) {
      page.forEach(artifact -> paths.add(artifact.path()));
      page = catalog.list(repository, ranges, paths.getLast(), limit);
    }
    return paths;
  }

  private static long statementsOf(Runnable action) {
    long before = application.statements();
    action.run();
    return application.statements() - before;
  }
}
