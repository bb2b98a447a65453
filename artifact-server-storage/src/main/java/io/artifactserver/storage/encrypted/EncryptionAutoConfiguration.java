package io.artifactserver.storage.encrypted;

import com.sun.management.OperatingSystemMXBean;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.blob.DataKeyStore.WrappedDataKey;
import io.artifactserver.storage.backend.SetupException;
import io.artifactserver.storage.catalog.CatalogProperties;
import io.artifactserver.storage.local.folder.DataFolder;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.util.unit.DataSize;

/**
 * Encryption over whatever backend there is. The ring is checked against the database before
 * anything is served: a blob that cannot be decrypted must stop the start, not a download.
 */
@AutoConfiguration
@EnableConfigurationProperties(EncryptionProperties.class)
@Import(StoredRingKeys.class)
public class EncryptionAutoConfiguration {
  /** In the data folder. */
  static final String KEY_FILE = "keys.json";

  /** An eighth of the memory, which is the container's if that has a limit. */
  private static final int CACHE_SHARE = 8;

  private static final Logger LOGGER = LoggerFactory.getLogger(EncryptionAutoConfiguration.class);

  @Bean
  KeyRing keyRing(
      EncryptionProperties properties,
      DataFolder folder,
      DataKeyStore dataKeys,
      InstantSource clock) {
    Map<Long, Long> needed = dataKeys.countByRingKey();
    KeyRing ring = ring(properties, folder, needed, clock);
    Set<Long> missing = new TreeSet<>(needed.keySet());
    missing.removeAll(ring.keyset().ids());
    if (!missing.isEmpty()) {
      throw new SetupException(
          "The key ring%s lacks the keys %s, which %d encrypted blobs and secrets of webhooks need."
                  .formatted(
                      place(properties, folder),
                      missing,
                      missing.stream().mapToLong(id -> needed.getOrDefault(id, 0L)).sum())
              + " Start with the ring that has them, from a backup if need be: without it those"
              + " cannot be decrypted.");
    }
    requireUnwraps(ring, dataKeys, place(properties, folder));
    if (!needed.isEmpty()) {
      SegmentCipher.warmUp();
    }
    return ring;
  }

  @Bean
  RingSecrets webhookSecrets(KeyRing ring, DataKeyStore dataKeys) {
    return new RingSecrets(ring, dataKeys, new SecureRandom());
  }

  @Bean
  DecryptedCopies decryptedCopies(EncryptionProperties properties) {
    DataSize size = properties.decryptedCacheSize();
    return DecryptedCopies.ofAtMost(size == null ? defaultCacheSize() : size.toBytes());
  }

  @Bean
  BlobStores blobStores(
      BlobStore store,
      DataKeyStore dataKeys,
      KeyRing ring,
      EncryptionProperties properties,
      CatalogProperties catalog,
      DecryptedCopies copies) {
    int segmentLength = Math.toIntExact(properties.segmentLength().toBytes());
    return new BlobStores(
        store,
        new EncryptedBlobStore(
            store, dataKeys, ring, segmentLength, Optional.of(copies), idleTime(catalog)));
  }

  /** While the database cannot be asked, what the catalog remembers needs its key. */
  private static Duration idleTime(CatalogProperties catalog) {
    Duration known = catalog.cacheTtl().plus(catalog.staleTime());
    return known.compareTo(SegmentKeys.MIN_IDLE_TIME) > 0 ? known : SegmentKeys.MIN_IDLE_TIME;
  }

  private static long defaultCacheSize() {
    if (Swap.isOn()) {
      LOGGER.info(
          "The system swaps: no decrypted copies of encrypted artifacts are kept in memory, which"
              + " would send them faster. artifact-server.encryption.decrypted-cache-size allows"
              + " them.");
      return 0;
    }
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return system.getTotalMemorySize() / CACHE_SHARE;
  }

  private static KeyRing ring(
      EncryptionProperties properties,
      DataFolder folder,
      Map<Long, Long> needed,
      InstantSource clock) {
    if (!properties.keyset().isEmpty()) {
      try {
        return KeyRing.of(Keyset.parse(properties.keyset(), KeyRingFile.kms(properties.kmsUri())));
      } catch (GeneralSecurityException | IllegalArgumentException | IllegalStateException e) {
        // Without the cause: a parser may quote what it read.
        throw new SetupException(
            "The setting artifact-server.encryption.keyset is not a key ring (a Tink keyset as"
                + " JSON). ./artifact-server keys create makes a file with one.");
      }
    }
    KeyRingFile file = KeyRingFile.of(keyFile(properties, folder), properties.kmsUri());
    if (properties.keyFile().isEmpty() && !file.exists()) {
      if (!needed.isEmpty()) {
        throw new SetupException(
            "The key ring %s is missing, and %d encrypted blobs and secrets of webhooks need it."
                    .formatted(
                        file.path(), needed.values().stream().mapToLong(Long::longValue).sum())
                + " Put the file back from a backup, or name it in"
                + " artifact-server.encryption.key-file: without it those cannot be decrypted.");
      }
      try {
        file.create(Keyset.generate(clock.instant()));
      } catch (GeneralSecurityException e) {
        throw new SetupException("No key can be made for " + file.path(), e);
      }
      LOGGER.warn(
          "Made the key ring {}. Back it up, apart from the data: encrypted artifacts and secrets of"
              + " webhooks are lost without it.",
          file.path());
    }
    return KeyRing.of(file);
  }

  /** One data key stands for all: a ring of another server has other ids, or fails here. */
  private static void requireUnwraps(KeyRing ring, DataKeyStore dataKeys, String place) {
    List<WrappedDataKey> sample = dataKeys.notWrappedBy(-1, "", 1);
    for (WrappedDataKey wrapped : sample) {
      try {
        ring.unwrap(wrapped).close();
      } catch (GeneralSecurityException | IllegalArgumentException e) {
        throw new SetupException(
            "Key %d of the key ring%s is not the key that the database's data keys are wrapped by."
                    .formatted(wrapped.ringKeyId(), place)
                + " Start with the ring that belongs to this database, from a backup if need be.",
            e);
      }
    }
  }

  private static Path keyFile(EncryptionProperties properties, DataFolder folder) {
    return properties.keyFile().isEmpty()
        ? folder.path().resolve(KEY_FILE)
        : Path.of(properties.keyFile());
  }

  private static String place(EncryptionProperties properties, DataFolder folder) {
    return properties.keyset().isEmpty() ? " " + keyFile(properties, folder) : "";
  }
}
