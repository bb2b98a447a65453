package io.artifactserver.core.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

class BlobStoresTest {
  private static final BlobRef ENCRYPTED = new BlobRef("0123456789abcdef0123456789abcdef", 1, true);

  private final InMemoryBlobStore plain = new InMemoryBlobStore();
  private final InMemoryBlobStore encrypted = InMemoryBlobStore.markingEncrypted();

  @Test
  void givesEachBlobItsStore() throws StorageException {
    BlobStores both = new BlobStores(plain, encrypted);
    assertThat(both.canEncrypt()).isTrue();
    assertThat(both.of(true)).isSameAs(encrypted);
    assertThat(both.of(false)).isSameAs(plain);
    assertThat(both.blob(ENCRYPTED).ref()).isEqualTo(ENCRYPTED);
  }

  @Test
  void neverTakesThePlainStoreForTheEncryptedOne() {
    BlobStores plainOnly = BlobStores.of(plain);
    assertThat(plainOnly.canEncrypt()).isFalse();
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> plainOnly.of(true))
        .withMessageContaining("no key ring");
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> plainOnly.blob(ENCRYPTED));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> plainOnly.delete(ENCRYPTED));
  }
}
