package io.artifactserver.rest.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.rest.server.engine.Http2Properties;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** The records of this room: the defaults, every name, and the bounds. */
class TlsPropertiesTest {
  private static final String TLS = "artifact-server.tls.";

  @Test
  void defaults() {
    assertThat(bind("tls", TlsProperties.class, Map.of()))
        .isEqualTo(
            new TlsProperties(
                List.of(),
                List.of(),
                List.of("TLSv1.3", "TLSv1.2"),
                TlsProperties.ClientCertificates.NONE,
                null,
                false,
                Duration.ofSeconds(10),
                0,
                0));
    assertThat(bind("http2", Http2Properties.class, Map.of()))
        .isEqualTo(new Http2Properties(false, 128, 2_000));
  }

  @Test
  void everyName() {
    TlsProperties bound =
        bind(
            "tls",
            TlsProperties.class,
            Map.of(
                TLS + "certificate", "a.pem,b.pem",
                TLS + "private-key", "a.key,b.key",
                TLS + "protocols", "TLSv1.3",
                TLS + "client-certificates", "want",
                TLS + "client-ca", "ca.pem",
                TLS + "check-host", "true",
                TLS + "check-interval", "1s",
                TLS + "redirect-port", "80",
                TLS + "public-port", "443"));
    assertThat(bound)
        .isEqualTo(
            new TlsProperties(
                List.of(Path.of("a.pem"), Path.of("b.pem")),
                List.of(Path.of("a.key"), Path.of("b.key")),
                List.of("TLSv1.3"),
                TlsProperties.ClientCertificates.WANT,
                Path.of("ca.pem"),
                true,
                Duration.ofSeconds(1),
                80,
                443));
    assertThat(
            bind(
                "http2",
                Http2Properties.class,
                Map.of(
                    "artifact-server.http2.cleartext", "true",
                    "artifact-server.http2.max-streams", "7",
                    "artifact-server.http2.max-control-frames", "8")))
        .isEqualTo(new Http2Properties(true, 7, 8));
  }

  /** Each alone, with a certificate and its key. */
  @ParameterizedTest
  @CsvSource({
    "private-key, 'a.key,b.key', 2 keys",
    "client-certificates, need, client-ca",
    "client-ca, ca.pem, client-certificates",
    "protocols, TLSv1.1, TLSv1.1",
    "check-interval, 0s, check-interval",
    "redirect-port, 65536, redirect-port",
    "public-port, -1, public-port",
  })
  void contradictionsAreRefused(String name, String value, String named) {
    Map<String, String> properties =
        new HashMap<>(Map.of(TLS + "certificate", "a.pem", TLS + "private-key", "a.key"));
    properties.put(TLS + name, value);
    assertThatThrownBy(() -> bind("tls", TlsProperties.class, properties))
        .rootCause()
        .hasMessageContaining(named);
  }

  @Test
  void nobodyIsServedWithoutStreams() {
    assertThatThrownBy(() -> new Http2Properties(false, 0, 1)).hasMessageContaining("max-streams");
    assertThatThrownBy(() -> new Http2Properties(false, 1, 0))
        .hasMessageContaining("max-control-frames");
  }

  private static <T> T bind(String room, Class<T> type, Map<String, String> properties) {
    return new Binder(new MapConfigurationPropertySource(properties))
        .bindOrCreate("artifact-server." + room, type);
  }
}
