package io.artifactserver.storage.catalog;

import static io.artifactserver.storage.catalog.DerivingInstallation.FORMS;
import static io.artifactserver.storage.catalog.DerivingInstallation.LENGTH;
import static io.artifactserver.storage.catalog.DerivingInstallation.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.derive.ArtifactDerivation;
import io.artifactserver.core.ingest.ArtifactIngest;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.Quota;
import io.artifactserver.core.limit.InMemoryQuotaStore;
import io.artifactserver.core.limit.QuotaLedger;
import io.artifactserver.core.release.InMemoryChannelStore;
import io.artifactserver.core.retire.ArtifactRetirement;
import io.artifactserver.storage.postgres.TestDatabase;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The job that derives, beside others that do or undo the same. */
class DerivationRaceTest {
  private static CatalogApplication application;

  private DerivingInstallation installation;

  @BeforeAll
  static void start() {
    application = new CatalogApplication(TestDatabase.create());
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @BeforeEach
  void open(@TempDir Path folder) throws Exception {
    installation = new DerivingInstallation(application, folder);
  }

  @AfterEach
  void close() {
    installation.close();
  }

  /** As two servers of an installation may. */
  @Test
  void theSecondOfTwoJobsKeepsNothing() throws Exception {
    BlobRef blob = installation.upload(installation.files).blob();
    AtomicBoolean isFirst = new AtomicBoolean(true);
    BlobStore overtaken =
        Calls.before(
            "commit",
            BlobStore.class,
            installation.files,
            () -> {
              if (isFirst.getAndSet(false)) {
                installation.derivation().run();
              }
            });
    installation
        .derivation(installation.stores(overtaken, installation.dataKeys), installation.register)
        .run();
    assertThat(isFirst).isFalse();
    assertThat(installation.forms(blob)).hasSize(FORMS);
    assertThat(installation.keys()).hasSize(1 + FORMS);
  }

  @Test
  void uploadsOfTheSameBytesShareForms() throws Exception {
    byte[] bytes = text(0).getBytes(StandardCharsets.UTF_8);
    CyclicBarrier bothAreStored = new CyclicBarrier(2);
    ArtifactIngest ingest =
        new ArtifactIngest(
            installation.catalog,
            installation.blobs,
            installation.stores(
                Calls.before("commit", BlobStore.class, installation.files, bothAreStored::await),
                installation.dataKeys),
            new Quota(LENGTH, 10 * LENGTH, 0),
            new QuotaLedger(new InMemoryQuotaStore()),
            Runnable::run,
            () -> {},
            InMemoryChannelStore.book(installation.catalog));
    installation.catalog.createRepository("edge", true, false);
    List<BlobRef> used;
    try (ExecutorService uploads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<BlobRef>> both = new ArrayList<>();
      for (String path : List.of("one", "two")) {
        IngestRequest request =
            new IngestRequest(new ArtifactId("edge", path), "text/plain", bytes.length, List.of());
        both.add(
            uploads.submit(
                () -> ingest.ingest(request, new ByteArrayInputStream(bytes)).artifact().blob()));
      }
      used = List.of(both.getFirst().get(), both.getLast().get());
    }
    assertThat(used.getFirst()).isEqualTo(used.getLast());
    assertThat(installation.derivation().run()).isEqualTo(new ArtifactDerivation.Run(1, 0, 0));
    assertThat(installation.forms(used.getFirst())).hasSize(FORMS);
    assertThat(installation.keys()).hasSize(1 + FORMS);
  }

  /** And swept, though it was being read a moment ago. */
  @ParameterizedTest
  @ValueSource(strings = {"read", "write", "commit"})
  void nothingIsKeptOfWhatIsDeletedMeanwhile(String step) throws Exception {
    Artifact artifact = installation.upload(installation.files);
    ArtifactRetirement retirement =
        new ArtifactRetirement(
            installation.catalog,
            installation.blobs,
            installation.stores(),
            new Quota(LENGTH, 10 * LENGTH, LENGTH),
            InMemoryChannelStore.book(installation.catalog, application.clock()),
            Duration.ZERO,
            application.clock());
    AtomicBoolean isFirst = new AtomicBoolean(true);
    BlobStore deleting =
        Calls.before(
            step,
            BlobStore.class,
            installation.files,
            () -> {
              if (isFirst.getAndSet(false)) {
                installation.catalog.remove(artifact.id());
                application.clock().advance(Duration.ofSeconds(1));
                assertThat(retirement.deleteExpired()).isEqualTo(1);
              }
            });
    installation
        .derivation(installation.stores(deleting, installation.dataKeys), installation.register)
        .run();
    assertThat(isFirst).isFalse();
    assertThat(installation.register.of(artifact.blob())).isEmpty();
    assertThat(installation.keys()).isEmpty();
    assertThat(installation.files.removeAbandonedUploads(Instant.now().plusSeconds(60))).isZero();
  }
}
