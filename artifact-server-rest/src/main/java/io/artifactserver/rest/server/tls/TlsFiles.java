package io.artifactserver.rest.server.tls;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.pem.PemContent;

/**
 * The PEM files of certificates, keys and client authorities, as they were read at one time.
 * Immutable.
 */
record TlsFiles(TlsProperties properties, Map<Path, byte[]> contents) {
  /** The stores are in memory only, and Java's want a password all the same. */
  static final String STORE_PASSWORD = "in-memory";

  /** The certificate for clients that ask for no name, or for none of those that there are. */
  static final String FIRST_ALIAS = "certificate-0";

  private static final byte[] CHALLENGE = new byte[32];

  /**
   * Reads all of them. It follows links, as those that certbot and Kubernetes swap.
   *
   * @throws IOException if a file cannot be read, as while it is being replaced
   */
  static TlsFiles read(TlsProperties properties) throws IOException {
    Path clientCa = properties.clientCa();
    List<Path> paths =
        Stream.of(
                properties.certificate(),
                properties.privateKey(),
                clientCa == null ? List.<Path>of() : List.of(clientCa))
            .flatMap(List::stream)
            .toList();
    Map<Path, byte[]> contents = new LinkedHashMap<>();
    for (Path path : paths) {
      contents.put(path, Files.readAllBytes(path));
    }
    return new TlsFiles(properties, contents);
  }

  /** One digest over the content of all files. */
  Digest digest() {
    MessageDigest digest = DigestAlgorithm.SHA_256.newMessageDigest();
    for (byte[] content : contents.values()) {
      digest.update(content);
      digest.update((byte) 0);
    }
    return Digest.of(DigestAlgorithm.SHA_256, digest.digest());
  }

  /**
   * The certificates with their keys.
   *
   * @throws GeneralSecurityException if a file does not hold what it should, or a key is another
   *     certificate's
   */
  KeyStore keyStore() throws GeneralSecurityException {
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
   * @throws GeneralSecurityException if the file holds no certificate
   */
  @Nullable KeyStore trustStore() throws GeneralSecurityException {
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

  private static KeyStore emptyStore() throws GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try {
      store.load(null, null);
    } catch (IOException e) {
      throw new UncheckedIOException("Nothing is read here", e);
    }
    return store;
  }

  private PemContent pem(Path file) {
    byte[] content = Objects.requireNonNull(contents.get(file));
    return PemContent.of(new String(content, StandardCharsets.UTF_8));
  }

  private List<X509Certificate> certificates(Path file) throws GeneralSecurityException {
    try {
      return pem(file).getCertificates();
    } catch (IllegalStateException | IllegalArgumentException e) {
      throw new GeneralSecurityException("%s holds no PEM certificates".formatted(file), e);
    }
  }

  private PrivateKey privateKey(Path file) throws GeneralSecurityException {
    try {
      return Objects.requireNonNull(pem(file).getPrivateKey());
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
