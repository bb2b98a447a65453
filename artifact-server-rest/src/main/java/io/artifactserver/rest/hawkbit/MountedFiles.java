package io.artifactserver.rest.hawkbit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.grant.GrantedArtifact;
import io.artifactserver.core.grant.GrantedFile;
import io.artifactserver.core.grant.GrantedFiles;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.thread.DaemonThreads;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** hawkBit's own folder, mounted here. Thread-safe. */
final class MountedFiles implements Source {
  /** Each reads a file from end to end. */
  private static final int CHECK_THREADS = 2;

  /** In bytes; two contents that begin alike by chance begin alike in fewer. */
  private static final int BEGINNING = 64;

  /**
   * While devices ask for a file it is looked at this often: another may have taken its place, or
   * the folder may be gone.
   */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final GrantedFiles files;
  private final HawkbitClient client;
  private final QuestionQueue queue;
  private final ExecutorService checks = DaemonThreads.pool("hawkbit-check-", CHECK_THREADS);

  /**
   * Artifacts that hawkBit serves as its folder has them, because it did not encrypt them, and when
   * their files were looked at. By identity: grants that are the same share them.
   */
  private final Cache<GrantedArtifact, AtomicLong> plain =
      Caffeine.newBuilder().executor(Runnable::run).weakKeys().build();

  MountedFiles(GrantedFiles files, HawkbitClient client, QuestionQueue queue) {
    this.files = files;
    this.client = client;
    this.queue = queue;
  }

  @Override
  public Optional<GrantedFile> known(GrantedArtifact artifact) {
    AtomicLong lookedAt = plain.getIfPresent(artifact);
    if (lookedAt == null) {
      return Optional.empty();
    }
    long now = System.nanoTime();
    long last = lookedAt.get();
    if (now - last >= LOOK_NANOS && lookedAt.compareAndSet(last, now)) {
      // The next one who asks gets what was found.
      checks.execute(() -> check(artifact));
    }
    return files.known(artifact);
  }

  @Override
  public CompletableFuture<Finding> look(Question question, GrantedArtifact artifact, Asker asker) {
    return CompletableFuture.supplyAsync(() -> check(artifact), checks)
        .thenCompose(finding -> requirePlain(finding, question, asker));
  }

  private Finding check(GrantedArtifact artifact) {
    try {
      return new Finding.Found(artifact, files.check(artifact));
    } catch (StorageException.BlobNotFound e) {
      return new Finding.NotFound();
    } catch (StorageException e) {
      return new Finding.Unavailable(String.valueOf(e.getMessage()));
    }
  }

  /**
   * hawkBit's folder has the ciphertext of an encrypted module, and describes that: so the first
   * bytes that it sends to a device are compared with the file's, once for each artifact.
   */
  private CompletableFuture<Finding> requirePlain(Finding finding, Question question, Asker asker) {
    if (!(finding instanceof Finding.Found(GrantedArtifact artifact, GrantedFile file))
        || plain.getIfPresent(artifact) != null) {
      return CompletableFuture.completedFuture(finding);
    }
    int length = (int) Math.min(BEGINNING, artifact.length());
    if (length == 0) {
      plain.put(artifact, new AtomicLong(System.nanoTime()));
      return CompletableFuture.completedFuture(finding);
    }
    return queue
        .ask(asker, () -> client.beginning(question, artifact.fileName(), length))
        .handleAsync(
            (beginning, failure) -> {
              if (failure != null) {
                return new Finding.Unavailable(
                    "cannot tell whether hawkBit encrypts this artifact: " + failure);
              }
              return compared(finding, artifact, file, beginning);
            },
            checks);
  }

  private Finding compared(
      Finding found, GrantedArtifact artifact, GrantedFile file, byte[] beginning) {
    ByteBuffer own = ByteBuffer.allocate(beginning.length);
    try (RangeReader reader = file.blob().open(new ByteRange(0, beginning.length))) {
      while (own.hasRemaining() && reader.read(own) >= 0) {
        // Reads on.
      }
      if (own.flip().equals(ByteBuffer.wrap(beginning))) {
        plain.put(artifact, new AtomicLong(System.nanoTime()));
        return found;
      }
      return Finding.Refused.encrypted(artifact);
    } catch (StorageException e) {
      return new Finding.Unavailable(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void close() {
    checks.shutdownNow();
  }
}
