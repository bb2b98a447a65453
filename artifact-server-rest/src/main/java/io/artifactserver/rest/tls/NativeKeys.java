package io.artifactserver.rest.tls;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Private keys as the library of a security provider has them, made once: Conscrypt would make one
 * of the JDK's for every connection. Thread-safe.
 */
final class NativeKeys extends X509ExtendedKeyManager {
  private final X509ExtendedKeyManager keys;
  private final String provider;
  private final Map<String, PrivateKey> known = new ConcurrentHashMap<>();

  /**
   * @param provider that has a factory for each kind of key
   */
  NativeKeys(X509ExtendedKeyManager keys, String provider) {
    this.keys = keys;
    this.provider = provider;
  }

  @Override
  public @Nullable PrivateKey getPrivateKey(String alias) {
    PrivateKey key = known.get(alias);
    if (key != null) {
      return key;
    }
    PrivateKey found = keys.getPrivateKey(alias);
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

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return keys.getCertificateChain(alias);
  }

  @Override
  public String chooseEngineServerAlias(String type, Principal[] issuers, SSLEngine engine) {
    return keys.chooseEngineServerAlias(type, issuers, engine);
  }

  @Override
  public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
    return keys.chooseServerAlias(type, issuers, socket);
  }

  @Override
  public String[] getServerAliases(String type, Principal[] issuers) {
    return keys.getServerAliases(type, issuers);
  }

  @Override
  public String[] getClientAliases(String type, Principal[] issuers) {
    return keys.getClientAliases(type, issuers);
  }

  @Override
  public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
    return keys.chooseClientAlias(types, issuers, socket);
  }
}
