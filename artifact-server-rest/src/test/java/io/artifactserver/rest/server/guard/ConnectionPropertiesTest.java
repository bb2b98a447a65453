package io.artifactserver.rest.server.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.artifactserver.rest.server.shutdown.ShutdownProperties;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.util.unit.DataSize;

class ConnectionPropertiesTest {
  private static final DataSize ANY_SIZE = DataSize.ofBytes(1);
  private static final Duration ANY_TIME = Duration.ofSeconds(1);

  @Test
  void defaults() {
    assertThat(bind("connections", ConnectionProperties.class, Map.of()))
        .isEqualTo(
            new ConnectionProperties(
                20_000,
                0,
                List.of(),
                Duration.ofMinutes(1),
                Duration.ofSeconds(20),
                Duration.ofMinutes(2),
                Duration.ofMinutes(10),
                DataSize.ofBytes(0),
                Duration.ofMinutes(1),
                DataSize.ofMegabytes(80)));
    assertThat(bind("shutdown", ShutdownProperties.class, Map.of()))
        .isEqualTo(new ShutdownProperties(Duration.ZERO));
  }

  @Test
  void everyName() {
    String prefix = "artifact-server.connections.";
    assertThat(
            bind(
                "connections",
                ConnectionProperties.class,
                Map.of(
                    prefix + "max", "5",
                    prefix + "max-per-address", "3",
                    prefix + "trusted-proxies", "10.0.0.0/8,::1",
                    prefix + "idle-timeout", "1s",
                    prefix + "request-timeout", "2s",
                    prefix + "stall-timeout", "3s",
                    prefix + "max-stall", "4s",
                    prefix + "min-rate", "4KB",
                    prefix + "rate-window", "5s",
                    prefix + "max-held", "6MB")))
        .isEqualTo(
            new ConnectionProperties(
                5,
                3,
                List.of("10.0.0.0/8", "::1"),
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                Duration.ofSeconds(3),
                Duration.ofSeconds(4),
                DataSize.ofKilobytes(4),
                Duration.ofSeconds(5),
                DataSize.ofMegabytes(6)));
    assertThat(
            bind(
                "shutdown",
                ShutdownProperties.class,
                Map.of("artifact-server.shutdown.delay", "7s")))
        .isEqualTo(new ShutdownProperties(Duration.ofSeconds(7)));
  }

  /** As it was set before there were two of them. */
  @Test
  void longStallTimeoutIsTheMaximumToo() {
    ConnectionProperties properties =
        bind(
            "connections",
            ConnectionProperties.class,
            Map.of("artifact-server.connections.stall-timeout", "20m"));
    assertThat(properties.maxStall()).isEqualTo(Duration.ofMinutes(20));
  }

  @Test
  void refusesValuesOutOfBounds() {
    refuses(() -> new ShutdownProperties(Duration.ofSeconds(-1)), "shutdown.delay");
    refuses(() -> properties(0, 0, List.of(), ANY_TIME, ANY_SIZE), "connections.max");
    refuses(() -> properties(1, -1, List.of(), ANY_TIME, ANY_SIZE), "max-per-address");
    refuses(() -> properties(1, 0, List.of("proxy"), ANY_TIME, ANY_SIZE), "proxy");
    refuses(() -> properties(1, 0, List.of(), Duration.ZERO, ANY_SIZE), "idle-timeout");
    refuses(() -> properties(1, 0, List.of(), ANY_TIME, DataSize.ofBytes(-1)), "min-rate");
    refuses(
        () ->
            new ConnectionProperties(
                1, 0, List.of(), ANY_TIME, ANY_TIME, ANY_TIME, ANY_TIME, ANY_SIZE, ANY_TIME,
                ANY_SIZE),
        "max-held");
  }

  private static ConnectionProperties properties(
      int max, int maxPerAddress, List<String> proxies, Duration time, DataSize minRate) {
    return new ConnectionProperties(
        max,
        maxPerAddress,
        proxies,
        time,
        time,
        time,
        time,
        minRate,
        ANY_TIME,
        DataSize.ofMegabytes(1));
  }

  private static void refuses(Runnable construction, String name) {
    assertThatIllegalArgumentException().isThrownBy(construction::run).withMessageContaining(name);
  }

  private static <T> T bind(String room, Class<T> type, Map<String, String> properties) {
    return new Binder(new MapConfigurationPropertySource(properties))
        .bindOrCreate("artifact-server." + room, type);
  }
}
