package io.artifactserver.core.suspect;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.catalog.BlobRegister.Suspect;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Use case: reads suspect blobs again, one after the other, and takes the mark off those whose
 * bytes have their length and their SHA-256. The bytes come from the backend, not from a copy. Used
 * by one thread at a time; runs beside downloads.
 */
public final class SuspectCheck {
  /** The longest pause between two checks of one blob, if the first pause is not longer. */
  static final Duration MAX_PAUSE = Duration.ofHours(6);

  private static final int PAGE = 100;
  private static final int BUFFER_LENGTH = 64 * 1024;

  private final BlobRegister register;
  private final BlobStores stores;
  private final Duration firstPause;
  private final InstantSource clock;

  /** When blobs that were still damaged are checked again, by their keys. */
  private final Map<String, Next> nexts = new HashMap<>();

  /**
   * Wires the use case.
   *
   * @param firstPause after the first check of a blob; doubled after each further check
   */
  public SuspectCheck(
      BlobRegister register, BlobStores stores, Duration firstPause, InstantSource clock) {
    this.register = register;
    this.stores = stores;
    this.firstPause = firstPause;
    this.clock = clock;
  }

  /**
   * Checks the blobs whose pause is over.
   *
   * @throws StorageException if a blob cannot be read; the next run goes on with the others
   */
  public Run run() throws StorageException {
    int right = 0;
    int damaged = 0;
    Set<String> seen = new HashSet<>();
    String after = "";
    List<Suspect> page;
    do {
      page = register.suspectsAfter(after, PAGE);
      for (Suspect suspect : page) {
        after = suspect.blob().key();
        seen.add(after);
        if (!isDue(after)) {
          damaged++;
        } else if (isRight(suspect)) {
          // Caches and mappings may hold bytes from the time when they were wrong.
          stores.of(suspect.blob().encrypted()).forgetCopies(suspect.blob());
          register.clear(suspect.blob());
          nexts.remove(after);
          right++;
        } else {
          damaged++;
        }
      }
    } while (page.size() == PAGE);
    nexts.keySet().retainAll(seen);
    return new Run(right, damaged);
  }

  private boolean isDue(String key) {
    Next next = nexts.get(key);
    return next == null || !clock.instant().isBefore(next.at());
  }

  /** Checks a blob whose pause is over, and sets the time of its next check. */
  private boolean isRight(Suspect suspect) throws StorageException {
    String key = suspect.blob().key();
    Next last = nexts.get(key);
    Duration pause = last == null ? firstPause : last.pause();
    boolean wasRead = false;
    try {
      boolean isRight = hasDigest(suspect);
      wasRead = true;
      return isRight;
    } catch (StorageException.BlobLost _) {
      wasRead = true;
      return false;
    } finally {
      // A storage that is away says nothing of the blob, so the pause stays as it is.
      nexts.put(key, new Next(clock.instant().plus(pause), wasRead ? longer(pause) : pause));
    }
  }

  private Duration longer(Duration pause) {
    Duration most = firstPause.compareTo(MAX_PAUSE) > 0 ? firstPause : MAX_PAUSE;
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(most) > 0 ? most : twice;
  }

  private boolean hasDigest(Suspect suspect) throws StorageException {
    BlobRef blob = suspect.blob();
    BlobStore store = stores.of(blob.encrypted()).originals();
    MessageDigest digest = DigestAlgorithm.SHA_256.newMessageDigest();
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH);
    try (RangeReader reader = store.blob(blob).open(ByteRange.whole(blob.length()))) {
      long begun = System.nanoTime();
      while (reader.read(buffer) >= 0) {
        digest.update(buffer.flip());
        buffer.clear();
        pauseAfter(System.nanoTime() - begun);
        begun = System.nanoTime();
      }
    }
    return MessageDigest.isEqual(digest.digest(), suspect.sha256().bytes());
  }

  /** Nobody waits for the result, so half of a thread's time is enough. */
  private void pauseAfter(long workNanos) throws StorageException {
    if (Thread.currentThread().isInterrupted()) {
      throw new StorageException.StorageUnavailable(
          stores.plain().name(), "the server stops; the next start goes on", null);
    }
    LockSupport.parkNanos(workNanos);
  }

  /**
   * The result of a run.
   *
   * @param right blobs that are no longer suspect
   * @param damaged blobs that still are
   */
  public record Run(int right, int damaged) {}

  /**
   * The next check of a blob.
   *
   * @param at not before
   * @param pause after that check
   */
  private record Next(Instant at, Duration pause) {}
}
