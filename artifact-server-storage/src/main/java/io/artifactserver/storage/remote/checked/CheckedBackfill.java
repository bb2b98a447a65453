package io.artifactserver.storage.remote.checked;

import io.artifactserver.core.blob.BlobChecksums;
import io.artifactserver.core.blob.BlobChecksums.Unchecked;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.ChecksumBackfill;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.BlobRegister;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives checksums to the blobs of a {@link CheckedBlobStore}.
 *
 * @param store that downloads read: it may hold copies that were made before there were checksums
 */
public record CheckedBackfill(
    CheckedBlobStore checked, BlobChecksums checksums, BlobRegister register, BlobStore store)
    implements ChecksumBackfill {
  private static final Logger LOG = LoggerFactory.getLogger(CheckedBackfill.class);
  private static final int PAGE = 100;

  /** A first difference may have come on the way from the store. */
  private static final int ATTEMPTS = 2;

  @Override
  public Run run() throws StorageException {
    int done = 0;
    int damaged = 0;
    String after = "";
    List<Unchecked> page;
    do {
      page = checksums.missing(after, PAGE);
      for (Unchecked each : page) {
        BlobRef blob = each.blob();
        after = blob.key();
        if (isRight(each)) {
          store.forgetCopies(blob);
          done++;
        } else {
          register.suspect(blob);
          damaged++;
        }
      }
    } while (page.size() == PAGE);
    return new Run(done, damaged);
  }

  private boolean isRight(Unchecked unchecked) throws StorageException {
    try {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (checked.sum(unchecked)) {
          return true;
        }
      }
      LOG.error(
          "Blob {} of the {} store does not match its SHA-256, {}",
          unchecked.blob().key(),
          checked.name(),
          unchecked.sha256().hex());
    } catch (StorageException.BlobLost e) {
      LOG.error("Cannot compute the checksums of a blob: {}", e.getMessage());
    }
    return false;
  }
}
