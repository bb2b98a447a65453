package io.artifactserver.storage.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.attachment.BadDocumentException;
import io.artifactserver.core.attachment.TrustedKey;
import io.artifactserver.core.attachment.TrustedKey.Format;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.program.Programs;
import io.artifactserver.storage.catalog.TestContent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Signatures of minisign: by its own program, and by the words of its format. */
class MinisignTest {
  private static final String TEXT = "the bytes of an image";
  private static final Digests DIGESTS = TestContent.digests(TEXT);

  private final BouncyCastleVerifier verifier = new BouncyCastleVerifier();
  private final MinisignKey key = new MinisignKey(7);

  @TempDir private Path folder;

  private byte[] blake2b(String text) {
    MessageDigest digest = verifier.digest(Format.MINISIGN).orElseThrow();
    return digest.digest(text.getBytes(StandardCharsets.UTF_8));
  }

  private boolean isGood(String publicKey, String signature, String text) {
    return verifier.isGood(
        new TrustedKey("release", Format.MINISIGN, publicKey),
        signature.getBytes(StandardCharsets.UTF_8),
        DIGESTS,
        blake2b(text));
  }

  @Test
  void aSignatureIsGoodForItsKeyAndBytesOnly() throws Exception {
    String signature = key.sign("ED", blake2b(TEXT), "timestamp:1");
    assertThat(verifier.format(signature.getBytes(StandardCharsets.UTF_8)))
        .contains(Format.MINISIGN);
    assertThat(isGood(key.publicKey(), signature, TEXT)).isTrue();
    assertThat(isGood("untrusted comment: x\n" + key.publicKey() + "\n", signature, TEXT)).isTrue();
    assertThat(isGood(key.publicKey(), signature.replace("\n", "\r\n"), TEXT)).isTrue();
    assertThat(isGood(key.publicKey(), signature, TEXT + "x")).isFalse();
    assertThat(isGood(new MinisignKey(8).publicKey(), signature, TEXT)).isFalse();
    // Another key that calls itself by the same id.
    assertThat(isGood(key.withOtherBytes().publicKey(), signature, TEXT)).isFalse();
    assertThat(
            verifier.isGood(
                new TrustedKey("release", Format.MINISIGN, key.publicKey()),
                signature.getBytes(StandardCharsets.UTF_8),
                DIGESTS,
                new byte[0]))
        .isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "timestamp:1, timestamp:2",
    "'trusted comment: ', 'trusted comment:'",
    "untrusted, untrustet",
  })
  void changedSignaturesAreNotGood(String before, String after) {
    String signature = key.sign("ED", blake2b(TEXT), "timestamp:1");
    assertThat(isGood(key.publicKey(), signature.replace(before, after), TEXT)).isFalse();
  }

  /** Every bit counts. */
  @Test
  void eachBitOfASignatureCounts() {
    String signature = key.sign("ED", blake2b(TEXT), "timestamp:1");
    String line = signature.lines().skip(1).findFirst().orElseThrow();
    byte[] bytes = Base64.getDecoder().decode(line);
    for (int i = 0; i < bytes.length; i++) {
      byte[] changed = bytes.clone();
      changed[i] ^= 1;
      assertThat(
              isGood(
                  key.publicKey(),
                  signature.replace(line, Base64.getEncoder().encodeToString(changed)),
                  TEXT))
          .as("byte %d", i)
          .isFalse();
    }
  }

  @Test
  void theOldKindIsRefusedWithWhatToDo() {
    String old = key.sign("Ed", TEXT.getBytes(StandardCharsets.UTF_8), "timestamp:1");
    assertThatThrownBy(() -> verifier.format(old.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(BadDocumentException.class)
        .hasMessageContaining("old kind");
    assertThatThrownBy(
            () -> verifier.format("untrusted comment: x\nabc\n".getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(BadDocumentException.class);
    assertThat(isGood(key.publicKey(), old, TEXT)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"''", "x", "RWQ", "untrusted comment: a"})
  void keysThatAreNone(String text) {
    assertThatThrownBy(() -> verifier.requireUsable(new TrustedKey("k", Format.MINISIGN, text)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("minisign.pub");
  }

  @Test
  void itsOwnProgram() throws Exception {
    Programs.assumeInstalled("minisign");
    Path file = Files.writeString(folder.resolve("image"), TEXT);
    Programs.run(folder, "minisign", "-G", "-W", "-p", "minisign.pub", "-s", "minisign.key");
    Programs.run(
        folder, "minisign", "-S", "-s", "minisign.key", "-m", file.toString(), "-t", "release 1.2");
    String publicKey = Files.readString(folder.resolve("minisign.pub"));
    String signature = Files.readString(folder.resolve("image.minisig"));
    verifier.requireUsable(new TrustedKey("release", Format.MINISIGN, publicKey));
    assertThat(verifier.format(signature.getBytes(StandardCharsets.UTF_8)))
        .contains(Format.MINISIGN);
    assertThat(isGood(publicKey, signature, TEXT)).isTrue();
    assertThat(isGood(publicKey, signature, TEXT + "x")).isFalse();
    assertThat(isGood(key.publicKey(), signature, TEXT)).isFalse();
    // And the program takes what the test writes.
    Files.writeString(folder.resolve("image.minisig"), key.sign("ED", blake2b(TEXT), "by a test"));
    Programs.run(folder, "minisign", "-V", "-P", key.publicKey(), "-m", file.toString());
  }
}
