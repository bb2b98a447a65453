package io.artifactserver.benchmarks.load;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.concurrent.atomic.LongAdder;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** TLS that trusts whoever answers: the harness measures, and sends nothing secret. Thread-safe. */
final class TrustingTls implements TlsEngines {
  private final SSLContext context;
  private final LongAdder fullHandshakes = new LongAdder();

  TrustingTls() {
    try {
      context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new Everybody(fullHandshakes)}, new SecureRandom());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("The JDK cannot do TLS", e);
    }
  }

  SSLContext context() {
    return context;
  }

  /** Connections so far that resumed no session: only those show a certificate. */
  long fullHandshakes() {
    return fullHandshakes.sum();
  }

  /** Resumes no session. */
  @Override
  public SSLEngine engine() {
    return prepared(context.createSSLEngine());
  }

  /** Engines of one device, which resume its last session if the server lets them. */
  TlsEngines resuming(String device) {
    // The JDK keeps sessions by the name and port that an engine is made for. A name without a dot
    // is not sent to the server.
    return () -> prepared(context.createSSLEngine(device, 443));
  }

  private static SSLEngine prepared(SSLEngine engine) {
    engine.setUseClientMode(true);
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"http/1.1"});
    engine.setSSLParameters(parameters);
    return engine;
  }

  private static final class Everybody extends X509ExtendedTrustManager {
    private final LongAdder asked;

    Everybody(LongAdder asked) {
      this.asked = asked;
    }

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
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
      asked.increment();
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
