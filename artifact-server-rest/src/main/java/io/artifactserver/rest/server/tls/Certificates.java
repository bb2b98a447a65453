package io.artifactserver.rest.server.tls;

import io.artifactserver.core.digest.Digest;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.Collections;
import java.util.Locale;
import javax.net.ssl.SSLEngine;
import org.eclipse.jetty.http2.HTTP2Cipher;
import org.eclipse.jetty.util.ssl.SniX509ExtendedKeyManager.SniSelector;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.ssl.X509;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificates that are served, read again when their files change. Connections that are there
 * keep what they negotiated, and handshakes that have begun end with the certificate that they
 * began with; new ones get the new certificate. Files that make no sense leave everything as it is.
 * Thread-safe.
 */
public final class Certificates {
  private static final Logger LOG = LoggerFactory.getLogger(Certificates.class);

  /** Forward-secret and authenticated only. TLS 1.3 has no others; of TLS 1.2 these four kinds. */
  private static final String[] CIPHER_SUITES = {
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
  };

  private final TlsProperties properties;
  private final SslContextFactory.Server served;

  /**
   * The context of new connections. One that was replaced is left to the handshakes that it began.
   */
  private volatile SslContextFactory.Server current;

  private Digest seen;
  private boolean isCurrent = true;

  /**
   * @throws IllegalStateException if the files do not hold what they should
   */
  Certificates(TlsProperties properties) {
    this.properties = properties;
    try {
      TlsFiles files = TlsFiles.read(properties);
      this.seen = files.digest();
      KeyStore keys = files.keyStore();
      @Nullable KeyStore authorities = files.trustStore();
      this.current = started(keys, authorities);
      this.served = new Served();
      configure(served, keys, authorities);
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("artifact-server.tls: " + reason(e), e);
    }
  }

  /** For the connector; the same object for ever. */
  public SslContextFactory.Server served() {
    return served;
  }

  /**
   * Reads the files if they have changed since. Blocks on the disk.
   *
   * @return whether the certificates in the files are those that are served
   */
  public synchronized boolean reloadIfChanged() {
    try {
      // A file that cannot be read is read again the next time.
      TlsFiles files = TlsFiles.read(properties);
      Digest digest = files.digest();
      if (digest.equals(seen)) {
        return isCurrent;
      }
      // Broken files are not tried again before they change.
      seen = digest;
      isCurrent = false;
      KeyStore keys = files.keyStore();
      @Nullable KeyStore authorities = files.trustStore();
      current = started(keys, authorities);
      isCurrent = true;
      LOG.info("Serving the new certificates from {}", properties.certificate());
      logExpiry(keys);
      return true;
    } catch (Exception e) {
      LOG.error("Still serving the old certificates: {}", reason(e));
      return false;
    }
  }

  private SslContextFactory.Server started(KeyStore keys, @Nullable KeyStore authorities) {
    SslContextFactory.Server factory = new SslContextFactory.Server();
    configure(factory, keys, authorities);
    try {
      factory.start();
      factory.newSSLEngine();
      return factory;
    } catch (Exception e) {
      throw new IllegalStateException("The certificates cannot be served: " + e.getMessage(), e);
    }
  }

  private void configure(
      SslContextFactory.Server factory, KeyStore keys, @Nullable KeyStore authorities) {
    factory.setKeyStore(keys);
    factory.setKeyStorePassword(TlsFiles.STORE_PASSWORD);
    factory.setTrustStore(authorities);
    factory.setIncludeProtocols(properties.protocols().toArray(String[]::new));
    factory.setIncludeCipherSuites(CIPHER_SUITES);
    factory.setExcludeCipherSuites();
    factory.setCipherComparator(HTTP2Cipher.COMPARATOR);
    // Jetty's default. A client could have the server sign again and again on one connection.
    factory.setRenegotiationAllowed(false);
    factory.setSNISelector((keyType, issuers, session, serverName, certificates) -> {
      String named = factory.sniSelect(keyType, issuers, session, serverName, certificates);
      return SniSelector.DELEGATE.equals(named) ? first(certificates) : named;
    });
    factory.setWantClientAuth(
        properties.clientCertificates() == TlsProperties.ClientCertificates.WANT);
    factory.setNeedClientAuth(
        properties.clientCertificates() == TlsProperties.ClientCertificates.NEED);
  }

  /**
   * Serves clients that ask for no name that there is. Left to Java, they would get whichever its
   * key store enumerates first.
   *
   * @return null if the first certificate has another type of key, which is asked for next
   */
  private static @Nullable String first(Collection<X509> certificates) {
    return certificates.stream()
        .map(X509::getAlias)
        .filter(TlsFiles.FIRST_ALIAS::equals)
        .findFirst()
        .orElse(null);
  }

  private static void logExpiry(KeyStore keys) throws GeneralSecurityException {
    for (String alias : Collections.list(keys.aliases())) {
      if (keys.getCertificate(alias) instanceof X509Certificate certificate) {
        LOG.info(
            "{} until {}",
            certificate.getSubjectX500Principal(),
            certificate.getNotAfter().toInstant());
      }
    }
  }

  private static String reason(Exception failure) {
    String name = failure.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    String message = failure.getMessage();
    return failure instanceof IOException ? name + " " + message : String.valueOf(message);
  }

  /**
   * The one context that Jetty holds on to. Reloading it in place, as Jetty can, would take the
   * certificates away from the handshakes that are under way.
   */
  private final class Served extends SslContextFactory.Server {
    @Override
    public SSLEngine newSSLEngine() {
      return current.newSSLEngine();
    }

    @Override
    public SSLEngine newSSLEngine(String host, int port) {
      return current.newSSLEngine(host, port);
    }
  }
}
