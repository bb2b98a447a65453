package io.artifactserver.storage.catalog.artifact;

import static io.artifactserver.storage.catalog.TestContent.digests;
import static io.artifactserver.storage.catalog.TestContent.newEncryptedBlob;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.blob.DataKeyStore.WrappedDataKey;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.storage.catalog.CatalogApplication;
import io.artifactserver.storage.postgres.TestDatabase;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JdbcDataKeyStoreTest {
  private CatalogApplication application;
  private DataKeyStore dataKeys;

  @BeforeEach
  void start() {
    application = new CatalogApplication(TestDatabase.create());
    dataKeys = application.bean(DataKeyStore.class);
  }

  @AfterEach
  void stop() {
    application.close();
  }

  @Test
  void keepsPagesReplacesAndDeletes() {
    for (int i = 1; i <= 5; i++) {
      dataKeys.put(key(i, i % 2));
    }
    assertThat(dataKeys.find(blobKey(3)).orElseThrow().wrapped()).containsExactly(3, 1);
    assertThat(dataKeys.find(blobKey(9))).isEmpty();
    assertThat(dataKeys.countByRingKey()).isEqualTo(Map.of(0L, 2L, 1L, 3L));
    assertThat(blobKeys(dataKeys.notWrappedBy(0, "", 2))).containsExactly(blobKey(1), blobKey(3));
    assertThat(blobKeys(dataKeys.notWrappedBy(0, blobKey(3), 2))).containsExactly(blobKey(5));
    WrappedDataKey before = dataKeys.find(blobKey(1)).orElseThrow();
    WrappedDataKey after = new WrappedDataKey(blobKey(1), new byte[] {9}, 7);
    assertThat(dataKeys.replace(before, after)).isTrue();
    assertThat(dataKeys.replace(before, after)).isFalse();
    assertThat(dataKeys.find(blobKey(1)).orElseThrow().ringKeyId()).isEqualTo(7);
    dataKeys.delete(blobKey(1));
    dataKeys.delete(blobKey(1));
    assertThat(dataKeys.find(blobKey(1))).isEmpty();
    assertThat(dataKeys.replace(after, before)).isFalse();
  }

  @Test
  void deletesOldKeysOfNoBlobAndNoOthers() {
    ArtifactCatalog catalog = application.bean(ArtifactCatalog.class);
    catalog.createRepository("r", true, true);
    BlobRef blob = newEncryptedBlob("text");
    dataKeys.put(new WrappedDataKey(blob.key(), new byte[] {1}, 1));
    dataKeys.put(key(1, 1));
    catalog.add(new ArtifactId("r", "a"), "text/plain", blob, digests("text"));
    // By the database's clock: the server's may be wrong.
    Instant between = application.bean(BlobRegister.class).now();
    dataKeys.put(key(2, 1));
    assertThat(dataKeys.deleteOrphans(between)).isEqualTo(1);
    assertThat(dataKeys.find(blobKey(1))).isEmpty();
    assertThat(dataKeys.find(blobKey(2))).isPresent();
    assertThat(dataKeys.find(blob.key())).isPresent();
  }

  private static WrappedDataKey key(int number, long ringKeyId) {
    return new WrappedDataKey(
        blobKey(number), new byte[] {(byte) number, (byte) ringKeyId}, ringKeyId);
  }

  private static String blobKey(int number) {
    return "%032x".formatted(number);
  }

  private static List<String> blobKeys(List<WrappedDataKey> keys) {
    return keys.stream().map(WrappedDataKey::blobKey).toList();
  }
}
