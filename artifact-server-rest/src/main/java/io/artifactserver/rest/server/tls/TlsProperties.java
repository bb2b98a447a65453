package io.artifactserver.rest.server.tls;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * TLS on the server's port. Immutable.
 *
 * @param certificate PEM files, each a certificate and the chain to its root; none means no TLS. Of
 *     several, the client's server name (SNI) decides; the first one serves everybody else.
 * @param privateKey PEM files, the key of each certificate in the same order
 * @param protocols to speak; default TLS 1.3 and 1.2. Leave TLSv1.2 out when no old device is left.
 * @param clientCertificates whether clients are asked for certificates; default {@code none}
 * @param clientCa PEM file of the authorities whose client certificates are good
 * @param checkHost whether a request is refused whose host is not a name of the certificate;
 *     default {@code false}, because devices ask for IP addresses
 * @param checkInterval how often the files are looked at for changes; default 10 s
 * @param redirectPort port on which plain HTTP is told to come back by HTTPS; 0, the default, is
 *     none
 * @param publicPort port of HTTPS in redirects, if not the one that is listened on
 */
@ConfigurationProperties("artifact-server.tls")
public record TlsProperties(
    @DefaultValue List<Path> certificate,
    @DefaultValue List<Path> privateKey,
    @DefaultValue({"TLSv1.3", "TLSv1.2"}) List<String> protocols,
    @DefaultValue("none") ClientCertificates clientCertificates,
    @Nullable Path clientCa,
    @DefaultValue("false") boolean checkHost,
    @DefaultValue("10s") Duration checkInterval,
    @DefaultValue("0") int redirectPort,
    @DefaultValue("0") int publicPort) {
  private static final int MAX_PORT = 65_535;

  /** Whether clients are asked for certificates. */
  public enum ClientCertificates {
    /** Not asked. */
    NONE,
    /** Asked, and served without one too. */
    WANT,
    /** Asked, and not served without one. */
    NEED
  }

  /**
   * @throws IllegalArgumentException if the values contradict each other
   */
  public TlsProperties {
    certificate = List.copyOf(certificate);
    privateKey = List.copyOf(privateKey);
    protocols = List.copyOf(protocols);
    require(
        certificate.size() == privateKey.size(),
        "private-key names one file for each of artifact-server.tls.certificate:"
            + " there are %d keys and %d certificates"
                .formatted(privateKey.size(), certificate.size()));
    require(
        (clientCertificates == ClientCertificates.NONE) == (clientCa == null),
        "client-certificates=%s and artifact-server.tls.client-ca=%s: both or neither"
            .formatted(clientCertificates, clientCa == null ? "" : clientCa));
    for (String protocol : protocols) {
      require(
          protocol.equals("TLSv1.2") || protocol.equals("TLSv1.3"),
          "protocols has TLSv1.2 and TLSv1.3, not " + protocol);
    }
    require(!protocols.isEmpty(), "protocols names none");
    require(checkInterval.isPositive(), "check-interval is longer than " + checkInterval);
    requirePort("redirect-port", redirectPort);
    requirePort("public-port", publicPort);
    require(
        !certificate.isEmpty() || (redirectPort == 0 && clientCa == null),
        "redirect-port and client-ca need artifact-server.tls.certificate");
  }

  private static void requirePort(String name, int port) {
    require(port >= 0 && port <= MAX_PORT, name + " is a port, not " + port);
  }

  private static void require(boolean isSo, String rule) {
    Assert.isTrue(isSo, "artifact-server.tls." + rule);
  }
}
