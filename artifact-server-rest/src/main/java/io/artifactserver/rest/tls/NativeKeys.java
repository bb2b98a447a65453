package io.artifactserver.rest.tls;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.X509ExtendedKeyManager;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/**
 * Private keys as the library of a security provider has them, made once: Conscrypt would make one
 * of the JDK's for every connection. Thread-safe.
 */
final class NativeKeys extends SslContextFactory.X509ExtendedKeyManagerWrapper {
  private final String provider;
  private final Map<String, PrivateKey> known = new ConcurrentHashMap<>();

  /**
   * @param provider that has a factory for each kind of key
   */
  NativeKeys(X509ExtendedKeyManager keys, String provider) {
    super(keys);
    this.provider = provider;
  }

  @Override
  public @Nullable PrivateKey getPrivateKey(String alias) {
    PrivateKey key = known.get(alias);
    if (key != null) {
      return key;
    }
    PrivateKey found = super.getPrivateKey(alias);
    return found == null ? null : known.computeIfAbsent(alias, _ -> translated(found));
  }

  private PrivateKey translated(PrivateKey key) {
    try {
      return KeyFactory.getInstance(key.getAlgorithm(), provider)
          .generatePrivate(new PKCS8EncodedKeySpec(key.getEncoded()));
    } catch (GeneralSecurityException e) {
      return key;
    }
  }
}
