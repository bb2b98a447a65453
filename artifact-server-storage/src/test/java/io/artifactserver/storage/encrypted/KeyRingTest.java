package io.artifactserver.storage.encrypted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.crypto.tink.InsecureSecretKeyAccess;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.RegistryConfiguration;
import com.google.crypto.tink.TinkJsonProtoKeysetFormat;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import io.artifactserver.core.encryption.RingKeys.RingKeyException;
import io.artifactserver.storage.backend.SetupException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The ring, its file and its command. */
class KeyRingTest extends KeyRingFixture {
  @Test
  void theCommandsMakeListAndRotateTheRing() throws Exception {
    assertThat(keys("list")).isEqualTo(1);
    assertThat(errors()).contains("keys create");
    assertThat(keys("create")).isZero();
    assertThat(output()).contains("Back it up");
    assertThat(keys("create")).isEqualTo(1);
    assertThat(errors()).contains("exists already");
    Path file = folder.resolve("keys.json");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    long first = KeyRingFile.of(file, "").read().primary();
    assertThat(keys("rotate")).isZero();
    Keyset rotated = KeyRingFile.of(file, "").read();
    assertThat(rotated.ids()).hasSize(2).contains(first);
    assertThat(rotated.primary()).isNotEqualTo(first);
    assertThat(rotated.created(first)).startsWith("20");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(keys("list")).isZero();
    String shown = output() + errors() + rotated;
    assertThat(shown).contains(String.valueOf(first), String.valueOf(rotated.primary()));
    // Every stretch of eight characters of the keys themselves is missing from what was shown.
    String secret = Files.readString(file).replaceAll("(?s).*\"value\":\"([^\"]*)\".*", "$1");
    assertThat(secret.length()).isGreaterThan(40);
    for (int i = 0; i + 8 <= secret.length(); i++) {
      assertThat(shown).doesNotContain(secret.substring(i, i + 8));
    }
  }

  @Test
  void theCommandMakesAFolderForItsOwnerAlone() throws Exception {
    folder = folder.resolve("data");
    assertThat(keys("create")).isZero();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
        .isEqualTo("rwx------");
  }

  @Test
  void theCommandSaysWhatItDoesNotUnderstand() {
    assertThat(keys("destroy")).isEqualTo(2);
    assertThat(keys("remove")).isEqualTo(2);
    assertThat(keys("remove", "x")).isEqualTo(2);
    assertThat(keys("list", "--colour=red")).isEqualTo(2);
    assertThat(errors())
        .contains("'destroy'", "'--colour=red'", "parameter: 'ID'", "'x' is not a long");
    assertThat(keys()).isEqualTo(2);
    assertThat(errors()).contains("name one of create");
    assertThat(keys("remove", "1")).isEqualTo(1);
    assertThat(errors()).contains("operator's token");
  }

  @Test
  void aRingOfStockTinkIsRead() throws Exception {
    KeysetHandle handle =
        KeysetHandle.generateNew(PredefinedAeadParameters.AES256_GCM, RegistryConfiguration.get());
    String text =
        TinkJsonProtoKeysetFormat.serializeKeyset(
            handle, RegistryConfiguration.get(), InsecureSecretKeyAccess.get());
    Keyset read = Keyset.parse(text, null);
    assertThat(read.primary()).isEqualTo(Integer.toUnsignedLong(handle.getPrimary().getId()));
    assertThat(read.created(read.primary())).isEmpty();
    KeysetHandle again =
        TinkJsonProtoKeysetFormat.parseKeyset(
            read.rotated(InstantSource.system().instant()).serialize(null),
            RegistryConfiguration.get(),
            InsecureSecretKeyAccess.get());
    assertThat(again.size()).isEqualTo(2);
  }

  @Test
  void aFileThatIsNoRingIsRefusedWithoutQuotingIt() throws Exception {
    for (String text : List.of("", "{}", "{\"key\": \"SECRETSECRET\"}", "SECRETSECRET")) {
      Path file = Files.writeString(folder.resolve("keys.json"), text);
      assertThatExceptionOfType(SetupException.class)
          .isThrownBy(() -> KeyRingFile.of(file, "").read())
          .withMessageContaining(file.toString())
          .withNoCause()
          .satisfies(e -> assertThat(e.getMessage()).doesNotContain("SECRET"));
    }
    assertThatExceptionOfType(SetupException.class)
        .isThrownBy(() -> KeyRingFile.of(folder.resolve("keys.json"), "no-kms://key"))
        .withMessageContaining("kms-uri");
  }

  @Test
  void aRingThatIsASettingCannotBeRotated() {
    StoredRingKeys ringKeys =
        new StoredRingKeys(KeyRing.ephemeral(), dataKeys, InstantSource.system());
    assertThatExceptionOfType(RingKeyException.class)
        .isThrownBy(ringKeys::rotate)
        .withMessageContaining("setting");
  }

  private String output() {
    return output.toString(StandardCharsets.UTF_8);
  }

  private String errors() {
    return errors.toString(StandardCharsets.UTF_8);
  }
}
