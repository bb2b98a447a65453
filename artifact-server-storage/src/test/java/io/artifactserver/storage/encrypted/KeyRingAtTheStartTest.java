package io.artifactserver.storage.encrypted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.storage.backend.SetupException;
import io.artifactserver.storage.local.folder.DataFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.unit.DataSize;

/** A ring that does not fit the database's data keys stops the start, and says what to do. */
class KeyRingAtTheStartTest {
  private final InMemoryDataKeyStore dataKeys = new InMemoryDataKeyStore();
  @TempDir private Path parent;
  private DataFolder folder;
  private Path keys;

  @BeforeEach
  void storeAnEncryptedBlob() {
    folder = DataFolder.open(parent.resolve("data"));
    keys = folder.path().resolve(EncryptionAutoConfiguration.KEY_FILE);
    try (DataKey key = DataKey.random(16 << 10, new SecureRandom())) {
      ring("").keep("blob", key, dataKeys);
    }
  }

  @AfterEach
  void close() {
    folder.close();
  }

  @Test
  void theRingThatIsThereIsTaken() {
    assertThat(ring("").keyset().ids())
        .containsExactlyElementsOf(dataKeys.countByRingKey().keySet());
  }

  @Test
  void missing() throws Exception {
    Path backup = Files.move(keys, parent.resolve("backup.json"));

    requireRefused(
        "", "is missing, and 1 encrypted blobs and secrets of webhooks need it", keys.toString());
    requireRefused(
        parent.resolve("nowhere.json").toString(), "There is no key ring", "nowhere.json");
    assertThat(ring(backup.toString()).keyset().ids()).hasSize(1);
    assertThat(keys).doesNotExist();
  }

  @Test
  void noRingAtAll() throws Exception {
    Files.writeString(keys, "{\"key\": \"SECRETSECRET\"}");

    requireRefused("", "is not a key ring", keys.toString());
  }

  @Test
  void anotherInstallations() throws Exception {
    try (DataFolder other = DataFolder.open(parent.resolve("other"))) {
      ring("", other, new InMemoryDataKeyStore());
      Files.copy(
          other.path().resolve(EncryptionAutoConfiguration.KEY_FILE),
          keys,
          StandardCopyOption.REPLACE_EXISTING);
    }

    requireRefused("", "lacks the keys", keys.toString());
  }

  private void requireRefused(String keyFile, String... words) {
    assertThatExceptionOfType(SetupException.class)
        .isThrownBy(() -> ring(keyFile))
        .withMessageContainingAll(words)
        .satisfies(e ->
            assertThat(Stream.iterate(e, Objects::nonNull, Throwable::getCause))
                .noneMatch(each -> each.toString().contains("SECRET")));
  }

  private KeyRing ring(String keyFile) {
    return ring(keyFile, folder, dataKeys);
  }

  private static KeyRing ring(String keyFile, DataFolder folder, InMemoryDataKeyStore dataKeys) {
    return new EncryptionAutoConfiguration()
        .keyRing(
            new EncryptionProperties(keyFile, "", "", DataSize.ofKilobytes(16), null),
            folder,
            dataKeys,
            InstantSource.system());
  }
}
