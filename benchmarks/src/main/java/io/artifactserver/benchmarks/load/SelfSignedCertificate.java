package io.artifactserver.benchmarks.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * A certificate for 127.0.0.1 and localhost, made for the run.
 *
 * @param certificate PEM file
 * @param key PEM file (PKCS #8)
 */
record SelfSignedCertificate(Path certificate, Path key) {
  private static final String ALIAS = "load";
  private static final String PASSWORD = "not-a-secret";

  /** Makes one with the JDK's keytool: ECDSA on P-256, as a fleet has it. */
  static SelfSignedCertificate create(Path folder) {
    Path store = folder.resolve("certificate.p12");
    try {
      Files.deleteIfExists(store);
      Program.output(
          List.of(
              Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
              "-genkeypair",
              "-alias",
              ALIAS,
              "-keyalg",
              "EC",
              "-groupname",
              "secp256r1",
              "-validity",
              "30",
              "-dname",
              "CN=localhost",
              "-ext",
              "SAN=ip:127.0.0.1,dns:localhost",
              "-storetype",
              "PKCS12",
              "-keystore",
              store.toString(),
              "-storepass",
              PASSWORD));
      KeyStore keys = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(store)) {
        keys.load(in, PASSWORD.toCharArray());
      }
      return new SelfSignedCertificate(
          pem(
              folder.resolve("certificate.pem"),
              "CERTIFICATE",
              keys.getCertificate(ALIAS).getEncoded()),
          pem(
              folder.resolve("key.pem"),
              "PRIVATE KEY",
              keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot make a certificate", e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Cannot make a certificate", e);
    }
  }

  private static Path pem(Path file, String type, byte[] content) throws IOException {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return Files.write(
        file,
        "-----BEGIN %s-----%n%s%n-----END %s-----%n"
            .formatted(type, body, type)
            .getBytes(StandardCharsets.US_ASCII));
  }
}
