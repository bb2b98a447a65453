package io.artifactserver.rest.tls;

import java.security.Provider;
import java.security.Security;
import org.conscrypt.Conscrypt;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who encrypts: BoringSSL where its library can be loaded, else the JDK. */
final class TlsProvider {
  private static final Logger LOG = LoggerFactory.getLogger(TlsProvider.class);

  private TlsProvider() {}

  /**
   * The name of the security provider, registered; null for the JDK's own.
   *
   * @throws IllegalStateException if Conscrypt is insisted on and does not run here
   */
  static @Nullable String name(TlsProperties.Provider wanted) {
    if (wanted == TlsProperties.Provider.JSSE) {
      return null;
    }
    try {
      Conscrypt.checkAvailability();
      Provider provider = Conscrypt.newProvider();
      if (Security.getProvider(provider.getName()) == null) {
        Security.addProvider(provider);
      }
      return provider.getName();
    } catch (LinkageError | RuntimeException e) {
      String message =
          "Conscrypt does not run on %s/%s with this C library: %s"
              .formatted(System.getProperty("os.name"), System.getProperty("os.arch"), e);
      if (wanted == TlsProperties.Provider.CONSCRYPT) {
        throw new IllegalStateException(message, e);
      }
      LOG.warn("{}. TLS is the JDK's: the same protocols, for more CPU", message);
      return null;
    }
  }
}
