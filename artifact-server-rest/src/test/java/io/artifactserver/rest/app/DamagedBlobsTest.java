package io.artifactserver.rest.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.StorageException.BlobCorrupt;
import io.artifactserver.core.blob.StorageException.BlobNotFound;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class DamagedBlobsTest {
  private static final BlobRef REF = new BlobRef("0123456789abcdef0123456789abcdef", 10);

  private static final Digests DIGESTS =
      new Digests(
          Map.of(DigestAlgorithm.SHA_256, Digest.of(DigestAlgorithm.SHA_256, new byte[32])));

  private final Logger logger = (Logger) LoggerFactory.getLogger(DamagedBlobs.class);
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
  private final List<BlobRef> marked = new ArrayList<>();
  private int asked;
  private boolean isAway;
  private boolean isStored = true;

  @BeforeEach
  void listen() {
    appender.start();
    logger.addAppender(appender);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(appender);
  }

  /** A client that asks for it again and again would fill the disk with log. */
  @Test
  void isLoggedOnceAndMarkedWhenTheDatabaseIsBack() throws Exception {
    ExecutorService tasks = Executors.newSingleThreadExecutor();
    DamagedBlobs blobs = new DamagedBlobs(register(), tasks, new SimpleMeterRegistry());
    isAway = true;
    for (int i = 0; i < 1000; i++) {
      blobs.found(damage());
      tasks.submit(() -> {}).get();
    }
    assertThat(asked).isEqualTo(1000);
    assertThat(marked).isEmpty();
    assertThat(appender.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .satisfiesExactly(
            found -> assertThat(found).contains("Cut off or refused a download"),
            unmarked -> assertThat(unmarked).contains(REF.key(), "could not be marked"));
    isAway = false;
    for (int i = 0; i < 10; i++) {
      blobs.found(damage());
      tasks.submit(() -> {}).get();
    }
    assertThat(marked).containsExactly(REF);
    assertThat(appender.list).hasSize(2);
    tasks.close();
  }

  /** Another server's check may have ended the suspicion. */
  @Test
  void isMarkedAgainOnceItWasRight() throws Exception {
    ExecutorService tasks = Executors.newSingleThreadExecutor();
    InMemoryArtifactCatalog catalog = new InMemoryArtifactCatalog();
    catalog.createRepository("fleet", true, false);
    catalog.add(new ArtifactId("fleet", "firmware"), "text/plain", REF, DIGESTS);
    DamagedBlobs blobs = new DamagedBlobs(catalog, tasks, new SimpleMeterRegistry());
    blobs.found(damage());
    tasks.submit(() -> {}).get();
    assertThat(catalog.suspectCount()).isEqualTo(1);
    blobs.forgetRight();
    blobs.found(damage());
    tasks.submit(() -> {}).get();
    assertThat(appender.list).hasSize(1);
    catalog.clear(REF);
    blobs.forgetRight();
    blobs.found(damage());
    tasks.submit(() -> {}).get();
    assertThat(catalog.suspectCount()).isEqualTo(1);
    assertThat(appender.list).hasSize(2);
    tasks.close();
  }

  /** For the upload that brings its bytes again. */
  @Test
  void missingBlobIsMarkedIfCatalogHasIt() throws Exception {
    ExecutorService tasks = Executors.newSingleThreadExecutor();
    isStored = false;
    DamagedBlobs blobs = new DamagedBlobs(register(), tasks, new SimpleMeterRegistry());
    for (int i = 0; i < 3; i++) {
      // It was deleted, and is asked for by a download that began before.
      blobs.found(new BlobNotFound("file", REF, null));
      tasks.submit(() -> {}).get();
    }
    assertThat(asked).isEqualTo(3);
    isStored = true;
    for (int i = 0; i < 3; i++) {
      blobs.found(new BlobNotFound("file", REF, null));
      tasks.submit(() -> {}).get();
    }
    assertThat(asked).isEqualTo(4);
    assertThat(marked).contains(REF);
    tasks.close();
  }

  private static BlobCorrupt damage() {
    return new BlobCorrupt("file", REF, "planted", null);
  }

  private BlobRegister register() {
    return (BlobRegister)
        Proxy.newProxyInstance(
            BlobRegister.class.getClassLoader(),
            new Class<?>[] {BlobRegister.class},
            (proxy, method, arguments) -> {
              asked++;
              if (isAway) {
                throw new CatalogUnavailableException("planted");
              }
              marked.add((BlobRef) arguments[0]);
              return isStored;
            });
  }
}
