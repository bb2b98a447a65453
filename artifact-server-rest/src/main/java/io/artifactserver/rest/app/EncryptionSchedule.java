package io.artifactserver.rest.app;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.encryption.DecryptedCache;
import io.artifactserver.core.encryption.RepositoryEncryption;
import io.artifactserver.core.encryption.RingKeys;
import io.artifactserver.core.encryption.RingKeys.RingKey;
import io.artifactserver.rest.api.artifact.EncryptionRequests;
import io.artifactserver.rest.app.jobs.AskedJob;
import io.artifactserver.rest.app.jobs.Jobs;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Works off in the background what a rotated key ring or a repository that was told to encrypt
 * leaves to do: soon after it was asked for, at the start, and now and then. Thread-safe.
 */
@Component
public final class EncryptionSchedule implements EncryptionRequests {
  private static final Logger LOG = LoggerFactory.getLogger(EncryptionSchedule.class);
  private static final int REWRAP_BATCH = 100;
  private static final int BATCHES_PER_REPORT = 100;

  private final RingKeys ringKeys;
  private final RepositoryEncryption encryption;
  private final AskedJob rewrap;
  private final AskedJob encrypt;
  private final AtomicLong toRewrap = new AtomicLong();

  public EncryptionSchedule(
      RingKeys ringKeys,
      RepositoryEncryption encryption,
      DecryptedCache decrypted,
      Jobs jobs,
      MeterRegistry registry) {
    this.ringKeys = ringKeys;
    this.encryption = encryption;
    rewrap =
        new AskedJob("rewrap", "Data keys could not be wrapped again", LOG, jobs, this::wrapAgain);
    encrypt =
        new AskedJob("encrypt", "Repositories could not be encrypted", LOG, jobs, this::encryptAll);
    encrypt.ask();
    Gauge.builder("artifact_server.encryption.data.keys.to.rewrap", toRewrap, AtomicLong::get)
        .description("Data keys that a retired ring key still wraps")
        .register(registry);
    Gauge.builder(
            "artifact_server.encryption.decrypted.cache", decrypted, c -> (double) c.heldBytes())
        .description("Decrypted copies of hot artifacts in memory")
        .baseUnit("bytes")
        .register(registry);
  }

  /** Also asked now and then, for what came in plain while its repository began to encrypt. */
  @Override
  @Scheduled(
      initialDelayString = "${artifact-server.retire.sweep-interval:5m}",
      fixedDelayString = "${artifact-server.retire.sweep-interval:5m}")
  public void encryptSoon() {
    encrypt.ask();
  }

  /** Also sees that another process rotated the ring. */
  @Scheduled(
      initialDelayString = "${artifact-server.encryption.check-interval:10s}",
      fixedDelayString = "${artifact-server.encryption.check-interval:10s}")
  void rewrap() {
    rewrap.run();
  }

  @Scheduled(initialDelay = 1000, fixedDelay = 1000)
  void encryptIfAsked() {
    encrypt.runIfAsked();
  }

  private void wrapAgain() throws StorageException {
    long total = 0;
    int wrapped;
    int batches = 0;
    do {
      wrapped = ringKeys.rewrap(REWRAP_BATCH);
      total += wrapped;
      if (wrapped > 0 && ++batches % BATCHES_PER_REPORT == 0) {
        LOG.info("Wrapped {} data keys again, {} to do", total, countToRewrap());
      }
    } while (wrapped == REWRAP_BATCH);
    if (total > 0 || toRewrap.get() > 0) {
      LOG.info("Wrapped {} data keys again, {} to do", total, countToRewrap());
    }
  }

  private void encryptAll() throws StorageException {
    RepositoryEncryption.Run done = encryption.run();
    if (done.encrypted() > 0 || done.damaged() > 0) {
      LOG.info("Encrypted {} plain blobs; {} are damaged", done.encrypted(), done.damaged());
    }
  }

  private long countToRewrap() {
    long count =
        ringKeys.list().stream().filter(key -> !key.isPrimary()).mapToLong(RingKey::dataKeys).sum();
    toRewrap.set(count);
    return count;
  }
}
