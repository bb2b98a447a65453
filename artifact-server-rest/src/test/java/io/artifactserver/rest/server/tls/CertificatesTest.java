package io.artifactserver.rest.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.TestAuthority;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificatesTest {
  private static final int BUFFER_LENGTH = 1 << 16;

  @TempDir private Path folder;

  /**
   * Jetty, when it reloads, forgets all certificates for a moment, and one that signs others for
   * good.
   */
  @Test
  void handshakeThatHasBegunEndsWithItsCertificate() throws Exception {
    TestAuthority authority = new TestAuthority(folder, "authority");
    authority.issue("first", "CN=first", "san=dns:first,dns:primary");
    authority.issue("second", "CN=second");
    authority.issue("signing", "CN=signing", "ku=keyCertSign");
    renew(authority, "first");
    Certificates certificates = certificates();
    SSLEngine begun = certificates.served().newSSLEngine();
    renew(authority, "signing");
    assertThat(certificates.reloadIfChanged()).isTrue();
    assertThat(subject(authority.client(null), begun)).isEqualTo("CN=first");
    renew(authority, "second");
    assertThat(certificates.reloadIfChanged()).isTrue();
    assertThat(subject(authority.client(null), certificates.served().newSSLEngine()))
        .isEqualTo("CN=second");
  }

  @Test
  void filesThatCannotBeReadAreReadAgain() throws Exception {
    TestAuthority authority = new TestAuthority(folder, "authority");
    authority.issue("first", "CN=first");
    authority.issue("second", "CN=second");
    renew(authority, "first");
    Certificates certificates = certificates();
    authority.certificateFile("second", folder.resolve("server.pem"));
    Files.delete(folder.resolve("server.key"));
    assertThat(certificates.reloadIfChanged()).isFalse();
    authority.keyFile("second", folder.resolve("server.key"));
    assertThat(certificates.reloadIfChanged()).isTrue();
    assertThat(subject(authority.client(null), certificates.served().newSSLEngine()))
        .isEqualTo("CN=second");
  }

  private void renew(TestAuthority authority, String alias) throws Exception {
    authority.certificateFile(alias, folder.resolve("server.pem"));
    authority.keyFile(alias, folder.resolve("server.key"));
  }

  private Certificates certificates() throws Exception {
    Certificates certificates =
        new Certificates(
            new TlsProperties(
                List.of(folder.resolve("server.pem")),
                List.of(folder.resolve("server.key")),
                List.of("TLSv1.3", "TLSv1.2"),
                TlsProperties.ClientCertificates.NONE,
                null,
                false,
                Duration.ofSeconds(10),
                0,
                0));
    certificates.served().start();
    return certificates;
  }

  /** Shakes hands in memory; the subject of the certificate that the client was shown. */
  private static String subject(SSLContext context, SSLEngine server) throws SSLException {
    SSLEngine client = context.createSSLEngine();
    client.setUseClientMode(true);
    server.setUseClientMode(false);
    ByteBuffer toServer = ByteBuffer.allocate(BUFFER_LENGTH);
    ByteBuffer toClient = ByteBuffer.allocate(BUFFER_LENGTH);
    client.beginHandshake();
    server.beginHandshake();
    while (isShaking(client) || isShaking(server)) {
      advance(client, toClient, toServer);
      advance(server, toServer, toClient);
    }
    return ((X509Certificate) client.getSession().getPeerCertificates()[0])
        .getSubjectX500Principal()
        .getName();
  }

  private static boolean isShaking(SSLEngine engine) {
    return engine.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING;
  }

  private static void advance(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws SSLException {
    switch (engine.getHandshakeStatus()) {
      case NEED_TASK -> engine.getDelegatedTask().run();
      case NEED_WRAP -> engine.wrap(ByteBuffer.allocate(0), out);
      case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
        in.flip();
        engine.unwrap(in, ByteBuffer.allocate(BUFFER_LENGTH));
        in.compact();
      }
      default -> {}
    }
  }
}
