package io.artifactserver.rest.tls;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.pem.PemContent;

/** The PEM files of certificates, keys and client authorities. Immutable; each call reads them. */
final class TlsFiles {
  /** The stores are in memory only, and Java's want a password all the same. */
  static final String STORE_PASSWORD = "in-memory";

  /** The certificate for clients that ask for no name, or for none of those that there are. */
  static final String FIRST_ALIAS = "certificate-0";

  private static final byte[] CHALLENGE = new byte[32];

  private final TlsProperties properties;

  TlsFiles(TlsProperties properties) {
    this.properties = properties;
  }

  /**
   * What the files hold, as one digest. It follows links, as those that certbot and Kubernetes
   * swap.
   *
   * @throws IOException if a file cannot be read, as while it is being replaced
   */
  Digest digest() throws IOException {
    MessageDigest digest = DigestAlgorithm.SHA_256.newMessageDigest();
    for (Path file : files()) {
      digest.update(Files.readAllBytes(file));
      digest.update((byte) 0);
    }
    return Digest.of(DigestAlgorithm.SHA_256, digest.digest());
  }

  /**
   * The certificates with their keys.
   *
   * @throws IOException if a file cannot be read
   * @throws GeneralSecurityException if it does not hold what it should, or a key is another
   *     certificate's
   */
  KeyStore keyStore() throws IOException, GeneralSecurityException {
    KeyStore store = emptyStore();
    for (int i = 0; i < properties.certificate().size(); i++) {
      Path certificateFile = properties.certificate().get(i);
      Path keyFile = properties.privateKey().get(i);
      List<X509Certificate> chain = certificates(certificateFile);
      PrivateKey key = privateKey(keyFile);
      requirePair(chain.getFirst(), certificateFile, key, keyFile);
      store.setKeyEntry(
          "certificate-" + i,
          key,
          STORE_PASSWORD.toCharArray(),
          chain.toArray(X509Certificate[]::new));
    }
    return store;
  }

  /**
   * The authorities of client certificates; null if clients are not asked.
   *
   * @throws IOException if the file cannot be read
   * @throws GeneralSecurityException if it holds no certificate
   */
  @Nullable KeyStore trustStore() throws IOException, GeneralSecurityException {
    Path file = properties.clientCa();
    if (file == null) {
      return null;
    }
    KeyStore store = emptyStore();
    int number = 0;
    for (X509Certificate authority : certificates(file)) {
      store.setCertificateEntry("authority-" + number++, authority);
    }
    return store;
  }

  private List<Path> files() {
    Path clientCa = properties.clientCa();
    return Stream.of(
            properties.certificate(),
            properties.privateKey(),
            clientCa == null ? List.<Path>of() : List.of(clientCa))
        .flatMap(List::stream)
        .toList();
  }

  private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static List<X509Certificate> certificates(Path file)
      throws IOException, GeneralSecurityException {
    try {
      return PemContent.load(file).getCertificates();
    } catch (IllegalStateException | IllegalArgumentException e) {
      throw new GeneralSecurityException("%s holds no PEM certificates".formatted(file), e);
    }
  }

  private static PrivateKey privateKey(Path file) throws IOException, GeneralSecurityException {
    try {
      return Objects.requireNonNull(PemContent.load(file).getPrivateKey());
    } catch (IllegalStateException | IllegalArgumentException e) {
      throw new GeneralSecurityException("%s holds no readable PEM key".formatted(file), e);
    }
  }

  /** A renewal that wrote only one of the two files must not take the server off the air. */
  private static void requirePair(
      X509Certificate certificate, Path certificateFile, PrivateKey key, Path keyFile)
      throws GeneralSecurityException {
    String algorithm =
        switch (key.getAlgorithm().toUpperCase(Locale.ROOT)) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> key.getAlgorithm();
        };
    boolean isPair = key.getAlgorithm().equals(certificate.getPublicKey().getAlgorithm());
    if (isPair) {
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      signature.update(CHALLENGE);
      byte[] signed = signature.sign();
      signature.initVerify(certificate.getPublicKey());
      signature.update(CHALLENGE);
      isPair = signature.verify(signed);
    }
    if (!isPair) {
      throw new GeneralSecurityException(
          "%s is not the key of the certificate in %s".formatted(keyFile, certificateFile));
    }
  }
}
