package io.artifactserver.storage.encrypted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.util.unit.DataSize;

class EncryptionPropertiesTest {
  @Test
  void hasDefaults() {
    assertThat(bind(Map.of()))
        .isEqualTo(new EncryptionProperties("", "", "", DataSize.ofKilobytes(16), null));
  }

  @Test
  void readsEveryName() {
    assertThat(
            bind(
                Map.of(
                    "artifact-server.encryption.key-file", "/keys",
                    "artifact-server.encryption.kms-uri", "kms://key",
                    "artifact-server.encryption.segment-length", "1MB",
                    "artifact-server.encryption.decrypted-cache-size", "2GB")))
        .isEqualTo(
            new EncryptionProperties(
                "/keys", "", "kms://key", DataSize.ofMegabytes(1), DataSize.ofGigabytes(2)));
    assertThat(bind(Map.of("artifact-server.encryption.keyset", "{}")).keyset()).isEqualTo("{}");
  }

  @Test
  void refusesWhatCannotBe() {
    DataSize good = DataSize.ofKilobytes(64);
    for (DataSize bad :
        new DataSize[] {DataSize.ofBytes(4095), DataSize.ofMegabytes(17), DataSize.ofBytes(-1)}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new EncryptionProperties("", "", "", bad, null))
          .withMessageContaining("segment-length");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new EncryptionProperties("a", "b", "", good, null))
        .withMessageContaining("exclude each other");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new EncryptionProperties("", "", "", good, DataSize.ofBytes(-1)))
        .withMessageContaining("decrypted-cache-size");
  }

  @Test
  void doesNotPrintTheKeys() {
    assertThat(
            new EncryptionProperties("", "SECRET", "", DataSize.ofKilobytes(64), null).toString())
        .doesNotContain("SECRET");
  }

  private static EncryptionProperties bind(Map<String, String> values) {
    return new Binder(new MapConfigurationPropertySource(values))
        .bindOrCreate("artifact-server.encryption", EncryptionProperties.class);
  }
}
