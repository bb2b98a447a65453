package io.artifactserver.core.encryption;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactCatalog.PlainContent;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.ingest.Quota;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Use case: encrypt what repositories that encrypt still have as plain blobs. Thread-safe; runs
 * beside downloads and uploads. The catalog is the only record of what is left to do, so a run that
 * was killed is resumed by the next: at worst it leaves an orphan for the sweeper. Content that a
 * plain repository shares is copied; the plain blob goes when nobody refers to it, after the grace
 * period.
 */
public final class RepositoryEncryption {
  private static final int PAGE = 100;
  private static final int BUFFER_LENGTH = 512 * 1024;

  private final ArtifactCatalog catalog;
  private final BlobRegister register;
  private final BlobStores stores;
  private final Quota quota;

  /** Keys of blobs that are not tried again while they are suspect. */
  private final Set<String> damaged = ConcurrentHashMap.newKeySet();

  /** Wires the use case. */
  public RepositoryEncryption(
      ArtifactCatalog catalog, BlobRegister register, BlobStores stores, Quota quota) {
    this.catalog = catalog;
    this.register = register;
    this.stores = stores;
    this.quota = quota;
  }

  /**
   * Encrypts every plain blob there is to encrypt, one after the other.
   *
   * @throws StorageException if a store cannot be asked; the next run goes on
   */
  public Run run() throws StorageException {
    int encrypted = 0;
    damaged.retainAll(register.suspects(Set.copyOf(damaged)));
    String after = "";
    List<PlainContent> page;
    do {
      page = catalog.plainInEncrypted(after, PAGE);
      for (PlainContent content : page) {
        after = content.blob().key();
        if (damaged.contains(after)) {
          // Right bytes may have come for another artifact meanwhile.
          if (catalog.shareEncrypted(content)) {
            damaged.remove(after);
            encrypted++;
          }
          continue;
        }
        try {
          encrypt(content);
          encrypted++;
        } catch (StorageException.BlobLost e) {
          // Left as it is for the operator: the others can still be encrypted.
          register.suspect(content.blob());
          damaged.add(after);
        }
      }
    } while (page.size() == PAGE);
    return new Run(encrypted, damaged.size());
  }

  private void encrypt(PlainContent content) throws StorageException {
    if (catalog.shareEncrypted(content)) {
      return;
    }
    BlobRef copy = copy(content);
    if (catalog.repair(copy, content.digests())) {
      catalog.shareEncrypted(content);
    } else if (catalog.moveToEncrypted(content, copy)) {
      quota.add(copy.length());
    } else {
      stores.delete(copy);
    }
  }

  private BlobRef copy(PlainContent content) throws StorageException {
    BlobRef plain = content.blob();
    MessageDigest digest = DigestAlgorithm.SHA_256.newMessageDigest();
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH);
    try (RangeReader reader = stores.blob(plain).open(ByteRange.whole(plain.length()));
        BlobUpload upload = stores.of(true).begin()) {
      while (reader.read(buffer) >= 0) {
        buffer.flip();
        digest.update(buffer.duplicate());
        upload.write(buffer);
        buffer.clear();
      }
      if (!MessageDigest.isEqual(digest.digest(), content.digests().sha256().bytes())) {
        throw new StorageException.BlobCorrupt(
            stores.plain().name(), plain, "its bytes do not match its digest", null);
      }
      return upload.commit();
    }
  }

  /**
   * The result of a run.
   *
   * @param encrypted blobs
   * @param damaged blobs that stay plain while they are suspect
   */
  public record Run(int encrypted, int damaged) {}
}
