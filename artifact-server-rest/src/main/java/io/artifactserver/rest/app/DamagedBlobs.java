package io.artifactserver.rest.app;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.StorageException.BlobCorrupt;
import io.artifactserver.core.blob.StorageException.BlobLost;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.rest.log.FailureLog;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Counts what downloads find damaged or missing, logs damage once for each blob while the blob is
 * suspect, and marks the blob in the catalog: for the operator, and for an upload of the same
 * bytes, which replaces it. Thread-safe.
 */
@Component
public class DamagedBlobs {
  private static final Logger LOG = LoggerFactory.getLogger(DamagedBlobs.class);

  /** How many blobs; when so many are damaged, the log is not where to look. */
  private static final int MAX_REMEMBERED = 10_000;

  private final BlobRegister register;
  private final ExecutorService catalogTasks;
  private final Counter counter;
  private final Set<String> known = ConcurrentHashMap.newKeySet();
  private final Set<String> unmarked = ConcurrentHashMap.newKeySet();
  private final FailureLog failures = new FailureLog(LOG);

  public DamagedBlobs(BlobRegister register, ExecutorService catalogTasks, MeterRegistry registry) {
    this.register = register;
    this.catalogTasks = catalogTasks;
    this.counter =
        Counter.builder("artifact_server.blob.corrupt")
            .description(
                "Downloads that were cut off or refused because of a damaged or missing blob")
            .register(registry);
    Gauge.builder("artifact_server.blob.suspect", known, Set::size)
        .description("Blobs found damaged or missing since the start that are still suspect")
        .register(registry);
  }

  /** A download found that a blob is damaged or missing. Does not block. */
  void found(BlobLost loss) {
    counter.increment();
    BlobRef ref = loss.ref();
    boolean isNew = known.size() < MAX_REMEMBERED && known.add(ref.key());
    if (isNew && loss instanceof BlobCorrupt) {
      LOG.error("Cut off or refused a download: {}", loss.getMessage(), loss);
    }
    if (isNew || unmarked.remove(ref.key())) {
      catalogTasks.execute(() -> mark(ref));
    }
  }

  /**
   * Forgets the blobs that are suspect no longer, here or by another server's check, so that damage
   * found later marks them again. Asks the database.
   */
  void forgetRight() {
    known.retainAll(register.suspects(Set.copyOf(known)));
  }

  private void mark(BlobRef ref) {
    try {
      if (!register.suspect(ref)) {
        // Forgotten since the download began, or never in the catalog.
        known.remove(ref.key());
      }
    } catch (CatalogUnavailableException e) {
      unmarked.add(ref.key());
      failures.failed(
          "Blob %s could not be marked as suspect; the next download tries again"
              .formatted(ref.key()),
          e);
    }
  }
}
