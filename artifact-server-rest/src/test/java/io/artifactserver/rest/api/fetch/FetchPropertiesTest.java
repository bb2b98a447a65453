package io.artifactserver.rest.api.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** The defaults, every name, the bounds; and which addresses a list of hosts means. */
class FetchPropertiesTest {
  private static final Duration ANY = Duration.ofSeconds(1);
  private static final FetchProperties LISTED =
      new FetchProperties(
          List.of("Mirror.example", "other.example:8443", "[2606:4700::1111]"),
          List.of("10.1.2.3:443"),
          1,
          ANY,
          ANY);

  @Test
  void defaults() {
    assertThat(bind(Map.of()))
        .isEqualTo(
            new FetchProperties(
                List.of(), List.of(), 4, Duration.ofHours(6), Duration.ofSeconds(30)));
  }

  @Test
  void everyName() {
    assertThat(
            bind(
                Map.of(
                    "artifact-server.fetch.hosts", "a.example,b.example:1",
                    "artifact-server.fetch.private-hosts", "c",
                    "artifact-server.fetch.max-concurrent", "2",
                    "artifact-server.fetch.timeout", "1h",
                    "artifact-server.fetch.stall-timeout", "5s")))
        .isEqualTo(
            new FetchProperties(
                List.of("a.example", "b.example:1"),
                List.of("c"),
                2,
                Duration.ofHours(1),
                Duration.ofSeconds(5)));
  }

  @Test
  void refusesValuesOutOfBounds() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new FetchProperties(List.of(), List.of(), 0, ANY, ANY))
        .withMessageContaining("artifact-server.fetch.max-concurrent");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new FetchProperties(List.of(), List.of(), 1, Duration.ZERO, ANY))
        .withMessageContaining("artifact-server.fetch.timeout");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new FetchProperties(List.of(), List.of(), 1, ANY, Duration.ZERO))
        .withMessageContaining("artifact-server.fetch.stall-timeout");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "*",
        "*.example",
        "https://a.example",
        "a.example/",
        "a.example:",
        "a b",
        "a:0"
      })
  void refusesWhatIsNoHost(String host) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new FetchProperties(List.of(host), List.of(), 1, ANY, ANY))
        .withMessageContaining("artifact-server.fetch.hosts");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new FetchProperties(List.of(), List.of(host), 1, ANY, ANY))
        .withMessageContaining("artifact-server.fetch.private-hosts");
  }

  @ParameterizedTest
  @CsvSource({
    "https://mirror.example/a, true",
    "https://MIRROR.example:443/a, true",
    "https://mirror.example:8443/a, false",
    "https://mirror.example./a, false",
    "https://a.mirror.example/a, false",
    "https://mirror.example.evil/a, false",
    "https://other.example:8443/a, true",
    "https://other.example/a, false",
    "https://10.1.2.3/a, true",
    "https://10.1.2.4/a, false",
    "https://[2606:4700::1111]/a, true",
    "https://[2606:4700::1112]/a, false",
  })
  void listsExactNames(String url, boolean isListed) {
    URI parsed = URI.create(url);
    assertThat(LISTED.lists(parsed.getHost(), parsed.getPort())).isEqualTo(isListed);
  }

  @Test
  void onlyPrivateHostsMayBePrivate() {
    assertThat(LISTED.allowed().mayBePrivate("10.1.2.3", 443)).isTrue();
    assertThat(LISTED.allowed().mayBePrivate("10.1.2.3", 8443)).isFalse();
    assertThat(LISTED.allowed().mayBePrivate("mirror.example", 443)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "https://mirror.example/a?b=c, true",
    "HTTPS://mirror.example, true",
    "http://mirror.example/a, false",
    "file:///etc/passwd, false",
    "https:///a, false",
    "https:mirror.example, false",
    "//mirror.example/a, false",
    "https://me:secret@mirror.example/a, false",
    "https://mirror.example@evil.example/a, false",
    "https://mirror_1.example/a, false",
    "https://mirror.example/a#b, false",
  })
  void addressesAreHttps(String url, boolean isGood) {
    assertThat(HttpsFiles.fault(URI.create(url)).isEmpty()).isEqualTo(isGood);
  }

  private static FetchProperties bind(Map<String, String> values) {
    return new Binder(new MapConfigurationPropertySource(values))
        .bindOrCreate("artifact-server.fetch", FetchProperties.class);
  }
}
