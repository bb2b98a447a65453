package io.artifactserver.rest.tls;

import java.security.Principal;
import java.util.Collection;
import javax.net.ssl.SSLSession;
import org.eclipse.jetty.util.ssl.SniX509ExtendedKeyManager;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.ssl.X509;
import org.jspecify.annotations.Nullable;

/**
 * Chooses one of several certificates: that of the name which the client asks for, else the first.
 * Left to Java, clients without a name would get whichever its key store enumerates first.
 */
final class ServerNames implements SniX509ExtendedKeyManager.SniSelector {
  private final SslContextFactory.Server factory;

  ServerNames(SslContextFactory.Server factory) {
    this.factory = factory;
  }

  /**
   * Asked once for each type of key that the client takes.
   *
   * @return null if another type of key is to be asked for
   */
  @Override
  public @Nullable String sniSelect(
      String keyType,
      Principal @Nullable [] issuers,
      @Nullable SSLSession session,
      @Nullable String serverName,
      Collection<X509> certificates) {
    @Nullable String named = factory.sniSelect(keyType, issuers, session, serverName, certificates);
    if (!SniX509ExtendedKeyManager.SniSelector.DELEGATE.equals(named)) {
      return named;
    }
    return certificates.stream()
        .map(X509::getAlias)
        .filter(TlsFiles.FIRST_ALIAS::equals)
        .findFirst()
        .orElse(null);
  }
}
