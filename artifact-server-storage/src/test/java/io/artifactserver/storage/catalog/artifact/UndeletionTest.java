package io.artifactserver.storage.catalog.artifact;

import static io.artifactserver.storage.catalog.TestContent.digests;
import static io.artifactserver.storage.catalog.TestContent.newBlob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog.Addition;
import io.artifactserver.core.catalog.ArtifactCatalog.Deleted;
import io.artifactserver.core.catalog.PathRange;
import io.artifactserver.core.catalog.Support;
import io.artifactserver.core.limit.OverQuotaException;
import io.artifactserver.core.limit.QuotaLedger;
import io.artifactserver.core.limit.QuotaStore;
import io.artifactserver.core.limit.RepositoryQuota;
import io.artifactserver.core.release.InMemoryChannelStore;
import io.artifactserver.core.release.ReleaseException;
import io.artifactserver.core.retire.Undeletion;
import java.time.Duration;
import java.time.Instant;
import java.time.YearMonth;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A deletion is taken back while the bytes are there. */
class UndeletionTest extends JdbcCatalogFixture {
  @Test
  void anArtifactComesBackAsItWasUntilItsBytesAreGone() throws Exception {
    create(false);
    BlobRef blob = newBlob(text);
    assertThat(catalog.add(id("a"), "text/x-firmware", blob, digests(text)))
        .isInstanceOf(Addition.Added.class);
    Support support = new Support(Support.Release.FEATURE, YearMonth.of(2031, 2));
    assertThat(catalog.support(id("a"), support)).isPresent();
    assertThat(undelete("a")).isEmpty();

    catalog.remove(id("a"));
    application.clock().advance(Duration.ofMinutes(5));
    Artifact back = ((Addition.Added) undelete("a").orElseThrow()).artifact();
    assertThat(back).isEqualTo(catalog.find(id("a")).orElseThrow());
    assertThat(back.mediaType()).isEqualTo("text/x-firmware");
    assertThat(back.blob()).isEqualTo(blob);
    assertThat(back.support()).isEqualTo(support);
    assertThat(back.hold()).isNull();
    assertThat(back.createdAt()).isEqualTo(now());
    assertThat(retired(blob)).isFalse();
    assertThat(undelete("a")).isEmpty();

    catalog.remove(id("a"));
    assertThat(register.forget(blob, Instant.MAX)).isTrue();
    assertThat(undelete("a")).isEmpty();
    assertThat(undelete("none")).isEmpty();
  }

  @Test
  void deletedPathsAreListedInTheScope() {
    create(false);
    BlobRef blob = newBlob(text);
    added("a/1", blob);
    for (String path : List.of("a/2", "b/1", "b/2")) {
      shared(path);
    }
    assertThat(deleted("", "", 10)).isEmpty();
    for (String path : List.of("a/1", "a/2", "b/1", "b/2")) {
      catalog.remove(id(path));
    }
    shared("a/2");
    assertThat(deleted("", "", 10))
        .extracting(each -> each.used().id().path())
        .containsExactly("a/1", "a/2", "b/1", "b/2");
    assertThat(deleted("", "", 10))
        .extracting(Deleted::hasArtifact)
        .containsExactly(false, true, false, false);
    assertThat(deleted("", "", 10)).allMatch(Deleted::hasBytes);
    assertThat(deleted("b/", "", 1))
        .extracting(each -> each.used().id())
        .containsExactly(id("b/1"));
    assertThat(deleted("b/", "b/1", 9))
        .extracting(each -> each.used().id())
        .containsExactly(id("b/2"));
    assertThat(deleted("b/", "", 1).getFirst().used())
        .isEqualTo(catalog.usedPath(id("b/1")).orElseThrow());

    catalog.remove(id("a/2"));
    assertThat(register.forget(blob, Instant.MAX)).isTrue();
    assertThat(deleted("", "", 10)).hasSize(4).noneMatch(Deleted::hasBytes);
  }

  @Test
  void theQuotaCounts() throws Exception {
    create(false);
    added("a", newBlob(text));
    catalog.remove(id("a"));
    QuotaStore quotas = application.bean(QuotaStore.class);
    quotas.put(repository, new RepositoryQuota(text.length() - 1L, 10));
    assertThatThrownBy(() -> undelete("a")).isInstanceOf(OverQuotaException.class);
    quotas.put(repository, new RepositoryQuota(text.length(), 10));
    assertThat(undelete("a")).containsInstanceOf(Addition.Added.class);
  }

  private List<Deleted> deleted(String prefix, String after, int limit) {
    return catalog.listDeleted(repository, List.of(PathRange.beginningWith(prefix)), after, limit);
  }

  private Optional<Addition> undelete(String path)
      throws OverQuotaException, ReleaseException.Sealed {
    return new Undeletion(
            catalog,
            new QuotaLedger(application.bean(QuotaStore.class)),
            InMemoryChannelStore.book(catalog))
        .undelete(id(path));
  }
}
