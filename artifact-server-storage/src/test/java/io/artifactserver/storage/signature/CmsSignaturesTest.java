package io.artifactserver.storage.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.attachment.BadDocumentException;
import io.artifactserver.core.attachment.TrustedKey;
import io.artifactserver.core.attachment.TrustedKey.Format;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.program.Programs;
import io.artifactserver.storage.catalog.TestContent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cms.CMSProcessableByteArray;
import org.bouncycastle.cms.CMSSignedDataGenerator;
import org.bouncycastle.cms.jcajce.JcaSignerInfoGeneratorBuilder;
import org.bouncycastle.crypto.params.Ed25519PublicKeyParameters;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Signatures in CMS, as openssl makes them. */
class CmsSignaturesTest {
  private static final String TEXT = "the bytes of an image";
  private static final Digests DIGESTS = TestContent.digests(TEXT);
  private static final BouncyCastleVerifier VERIFIER = new BouncyCastleVerifier();

  @TempDir private static Path folder;

  @BeforeAll
  static void keys() throws Exception {
    Programs.assumeInstalled("openssl");
    Files.writeString(folder.resolve("image"), TEXT);
    key("rsa", "-newkey", "rsa:2048");
    key("other", "-newkey", "rsa:2048");
    key("weak", "-newkey", "rsa:1024");
    key("ec", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256");
    key("ed25519", "-newkey", "ed25519");
    key("ed448", "-newkey", "ed448");
  }

  private static void key(String name, String... kind) throws Exception {
    List<String> command = new ArrayList<>(List.of("openssl", "req", "-x509"));
    command.addAll(List.of(kind));
    command.addAll(
        List.of(
            "-nodes",
            "-keyout",
            name + ".key",
            "-out",
            name + ".pem",
            "-days",
            "1",
            "-subj",
            "/CN=" + name));
    Programs.run(folder, command.toArray(String[]::new));
  }

  private static byte[] sign(String name, String... more) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                "openssl",
                "cms",
                "-sign",
                "-binary",
                "-in",
                "image",
                "-signer",
                name + ".pem",
                "-inkey",
                name + ".key",
                "-out",
                "signature"));
    command.addAll(List.of(more));
    Programs.run(folder, command.toArray(String[]::new));
    return Files.readAllBytes(folder.resolve("signature"));
  }

  private static TrustedKey trusted(String name) throws IOException {
    return new TrustedKey(name, Format.CMS, Files.readString(folder.resolve(name + ".pem")));
  }

  private static boolean isGood(String name, byte[] signature, Digests digests) throws IOException {
    return VERIFIER.isGood(trusted(name), signature, digests, new byte[0]);
  }

  @ParameterizedTest
  @CsvSource({
    "rsa, -outform DER",
    "rsa, -outform PEM",
    "rsa, -outform DER -md sha512",
    "rsa, -outform DER -nocerts",
    "rsa, -outform DER -noattr",
    "ec, -outform DER",
    "ec, -outform DER -md sha512",
    "rsa, -outform DER -keyopt rsa_padding_mode:pss",
    "rsa, -outform DER -md sha512 -keyopt rsa_padding_mode:pss -keyopt rsa_pss_saltlen:32",
    "rsa, -outform DER -noattr -keyopt rsa_padding_mode:pss",
  })
  void aSignatureIsGoodForItsKeyAndBytesOnly(String name, String options) throws Exception {
    byte[] signature = sign(name, options.split(" "));
    assertThat(VERIFIER.format(signature)).contains(Format.CMS);
    assertThat(VERIFIER.digest(Format.CMS)).isEmpty();
    VERIFIER.requireUsable(trusted(name));
    assertThat(isGood(name, signature, DIGESTS)).isTrue();
    assertThat(isGood(name, signature, TestContent.digests(TEXT + "x"))).isFalse();
    assertThat(isGood("other", signature, DIGESTS)).isFalse();
  }

  /** openssl 3.0 signs no CMS with Ed25519. The key and the certificate are openssl's. */
  @Test
  void ed25519() throws Exception {
    byte[] signature = signedByBouncyCastle("ed25519", "Ed25519");
    assertThat(VERIFIER.format(signature)).contains(Format.CMS);
    VERIFIER.requireUsable(trusted("ed25519"));
    assertThat(isGood("ed25519", signature, DIGESTS)).isTrue();
    assertThat(isGood("ed25519", signature, TestContent.digests(TEXT + "x"))).isFalse();
    assertThat(isGood("ec", signature, DIGESTS)).isFalse();
    for (int i = signature.length - Ed25519PublicKeyParameters.KEY_SIZE * 2;
        i < signature.length;
        i++) {
      byte[] changed = signature.clone();
      changed[i] ^= 1;
      assertThat(isGood("ed25519", changed, DIGESTS)).as("byte %d", i).isFalse();
    }
  }

  /** The digest in the parameters of PSS counts, whatever the signer's own is. */
  @Test
  void pssOverSha1IsNotTaken() throws Exception {
    assertThat(isGood("rsa", signedByBouncyCastle("rsa", "SHA256withRSAandMGF1"), DIGESTS))
        .isTrue();
    assertThat(isGood("rsa", signedByBouncyCastle("rsa", "SHA1withRSAandMGF1"), DIGESTS)).isFalse();
    assertThat(
            isGood(
                "rsa",
                sign("rsa", "-outform", "DER", "-md", "sha1", "-keyopt", "rsa_padding_mode:pss"),
                DIGESTS))
        .isFalse();
  }

  private static byte[] signedByBouncyCastle(String name, String algorithm) throws Exception {
    try (PEMParser certificate =
            new PEMParser(Files.newBufferedReader(folder.resolve(name + ".pem")));
        PEMParser key = new PEMParser(Files.newBufferedReader(folder.resolve(name + ".key")))) {
      CMSSignedDataGenerator generator = new CMSSignedDataGenerator();
      generator.addSignerInfoGenerator(
          new JcaSignerInfoGeneratorBuilder(new JcaDigestCalculatorProviderBuilder().build())
              .setContentDigest(new AlgorithmIdentifier(NISTObjectIdentifiers.id_sha512))
              .build(
                  new JcaContentSignerBuilder(algorithm)
                      .setProvider(new BouncyCastleProvider())
                      .build(
                          new JcaPEMKeyConverter()
                              .getPrivateKey((PrivateKeyInfo) key.readObject())),
                  (X509CertificateHolder) certificate.readObject()));
      return generator
          .generate(new CMSProcessableByteArray(TEXT.getBytes(StandardCharsets.UTF_8)), false)
          .getEncoded();
    }
  }

  @Test
  void aPublicKeyAloneWillDo() throws Exception {
    byte[] signature = sign("rsa", "-outform", "DER");
    Programs.run(
        folder, "openssl", "x509", "-in", "rsa.pem", "-pubkey", "-noout", "-out", "rsa.pub");
    TrustedKey key = new TrustedKey("k", Format.CMS, Files.readString(folder.resolve("rsa.pub")));
    VERIFIER.requireUsable(key);
    assertThat(VERIFIER.isGood(key, signature, DIGESTS, new byte[0])).isTrue();
  }

  @Test
  void oneOfSeveralSignersWillDo() throws Exception {
    byte[] signature = sign("rsa", "-outform", "DER", "-signer", "ec.pem", "-inkey", "ec.key");
    assertThat(isGood("ec", signature, DIGESTS)).isTrue();
    assertThat(isGood("rsa", signature, DIGESTS)).isTrue();
    assertThat(isGood("other", signature, DIGESTS)).isFalse();
  }

  @Test
  void eachBitOfASignatureCounts() throws Exception {
    byte[] signature = sign("ec", "-outform", "DER", "-nocerts", "-nosmimecap");
    // The last bytes are the signature itself.
    for (int i = signature.length - 60; i < signature.length; i++) {
      byte[] changed = signature.clone();
      changed[i] ^= 1;
      assertThat(isGood("ec", changed, DIGESTS)).as("byte %d", i).isFalse();
    }
    for (int length = 0; length < signature.length; length += 7) {
      assertThat(isGood("ec", Arrays.copyOf(signature, length), DIGESTS)).isFalse();
    }
  }

  @Test
  void weakDigestsAndKeysAreNotTaken() throws Exception {
    assertThat(isGood("rsa", sign("rsa", "-outform", "DER", "-md", "sha1"), DIGESTS)).isFalse();
    TrustedKey weak = trusted("weak");
    assertThatThrownBy(() -> VERIFIER.requireUsable(weak))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2048");
    TrustedKey other = trusted("ed448");
    assertThatThrownBy(() -> VERIFIER.requireUsable(other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("RSA, ECDSA or Ed25519");
    assertThatThrownBy(() -> VERIFIER.requireUsable(new TrustedKey("k", Format.CMS, "x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PEM");
    String secret = Files.readString(folder.resolve("rsa.key"));
    assertThatThrownBy(() -> VERIFIER.requireUsable(new TrustedKey("k", Format.CMS, secret)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PEM");
  }

  /** It would vouch for what it has in it, and not for the artifact. */
  @Test
  void aSignatureAroundItsContentIsRefused() throws Exception {
    byte[] around = sign("rsa", "-outform", "DER", "-nodetach");
    assertThatThrownBy(() -> VERIFIER.format(around))
        .isInstanceOf(BadDocumentException.class)
        .hasMessageContaining("-nodetach");
    assertThat(isGood("rsa", around, TestContent.digests(TEXT + "x"))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"''", "x", "-----BEGIN PGP SIGNATURE-----", "-----BEGIN CMS-----"})
  void otherSignaturesAreNotVerified(String text) throws Exception {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    assertThat(VERIFIER.format(bytes)).isEmpty();
    assertThat(isGood("rsa", bytes, DIGESTS)).isFalse();
  }
}
