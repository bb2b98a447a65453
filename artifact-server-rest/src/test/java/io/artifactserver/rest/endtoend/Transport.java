package io.artifactserver.rest.endtoend;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * How a client reaches the server: the parameter of the suites that run on each of them. Immutable.
 */
enum Transport {
  HTTP1(null, false),
  /** HTTP/2 in clear text, with prior knowledge. */
  H2C(null, true),
  /** HTTP/1.1 over TLS 1.2. */
  TLS12("TLSv1.2", false),
  /** HTTP/1.1 over TLS 1.3. */
  TLS13("TLSv1.3", false),
  /** HTTP/2 over TLS 1.3. */
  H2("TLSv1.3", true);

  private final @Nullable String tlsVersion;
  private final boolean isHttp2;

  Transport(@Nullable String tlsVersion, boolean isHttp2) {
    this.tlsVersion = tlsVersion;
    this.isHttp2 = isHttp2;
  }

  boolean isHttp2() {
    return isHttp2;
  }

  boolean isSecured() {
    return tlsVersion != null;
  }

  /** Empty without TLS; {@code TLSv1.2} or {@code TLSv1.3}. */
  Optional<String> tlsVersion() {
    return Optional.ofNullable(tlsVersion);
  }

  /** Returns all that a server speaks that speaks this one. */
  List<Transport> ofOneServer() {
    return Stream.of(values()).filter(other -> other.isSecured() == isSecured()).toList();
  }

  /** The offer of a client of TLS: one version, and one protocol by ALPN (RFC 7301). */
  SSLParameters tls() {
    SSLParameters parameters = new SSLParameters();
    parameters.setProtocols(new String[] {tlsVersion().orElseThrow()});
    parameters.setApplicationProtocols(new String[] {isHttp2 ? "h2" : "http/1.1"});
    return parameters;
  }
}
