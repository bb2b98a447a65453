package io.artifactserver.rest.command.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Authorities that a command trusts in place of the system's. Stateless, thread-safe. */
public final class Authorities {
  private Authorities() {}

  /**
   * Reads them.
   *
   * @param file PEM
   * @throws GeneralSecurityException also if no certificate is in the file
   */
  public static SSLContext trusting(Path file) throws IOException, GeneralSecurityException {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (InputStream in = Files.newInputStream(file)) {
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        trusted.setCertificateEntry(String.valueOf(trusted.size()), each);
      }
    }
    if (trusted.size() == 0) {
      throw new CertificateException("there is no certificate in it");
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }
}
