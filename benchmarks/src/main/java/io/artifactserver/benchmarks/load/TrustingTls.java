package io.artifactserver.benchmarks.load;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** TLS that trusts whoever answers: the harness measures, and sends nothing secret. Thread-safe. */
final class TrustingTls implements Connection.TlsEngines {
  private final SSLContext context;

  TrustingTls() {
    try {
      context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new Everybody()}, new SecureRandom());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("The JDK cannot do TLS", e);
    }
  }

  SSLContext context() {
    return context;
  }

  @Override
  public SSLEngine engine() {
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(true);
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"http/1.1"});
    engine.setSSLParameters(parameters);
    return engine;
  }

  private static final class Everybody extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
