package io.artifactserver.benchmarks.load;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** TLS that trusts whoever answers: the harness measures, and sends nothing secret. Thread-safe. */
final class TrustingTls {
  private final SSLContext context;
  private final LongAdder fullHandshakes = new LongAdder();
  private final AtomicLong strangers = new AtomicLong();

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

  /**
   * Puts TLS on a connection, and waits for the handshake.
   *
   * @param session resumes the last one of this name, if the server lets it; empty for none
   */
  SSLSocket secure(Socket connected, String session) throws IOException {
    // The JDK keeps sessions by the name and port that a socket is made for. A name without a dot
    // is not sent to the server.
    String peer = session.isEmpty() ? "stranger-" + strangers.incrementAndGet() : session;
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(connected, peer, 443, true);
    socket.startHandshake();
    return socket;
  }

  private record Everybody(LongAdder asked) implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {
      asked.increment();
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
