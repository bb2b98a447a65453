package io.artifactserver.rest.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.catalog.ArtifactId;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class FormatTest {
  @Test
  void bytesHaveUnits() {
    assertThat(Format.bytes(0)).isEqualTo("0 B");
    assertThat(Format.bytes(1023)).isEqualTo("1023 B");
    assertThat(Format.bytes(1024)).isEqualTo("1.0 KiB");
    assertThat(Format.bytes(1_048_575)).isEqualTo("1.0 MiB");
    assertThat(Format.bytes(Long.MAX_VALUE)).isEqualTo("8.0 EiB");
    assertThat(Format.exact(67_108_864)).isEqualTo("67,108,864 bytes");
    assertThat(Format.rate(OptionalLong.of(2048))).isEqualTo("2.0 KiB/s");
    assertThat(Format.rate(OptionalLong.empty())).isEqualTo("–");
  }

  @Test
  void onlyAllIsAHundredPercent() {
    assertThat(Format.percent(0, 10)).isEqualTo("0.0 %");
    assertThat(Format.percent(999_999, 1_000_000)).isEqualTo("99.9 %");
    assertThat(Format.percent(10, 10)).isEqualTo("100.0 %");
    assertThat(Format.percent(0, 0)).isEqualTo("100.0 %");
  }

  @Test
  void timesAreUtc() {
    assertThat(Format.utc(Instant.EPOCH)).isEqualTo("1970-01-01 00:00:00 UTC");
  }

  @Test
  void spansAreInTheLargestUnitThatFits() {
    assertThat(Format.span(Duration.ofHours(1))).isEqualTo("1 hour");
    assertThat(Format.span(Duration.ofMinutes(90))).isEqualTo("90 minutes");
    assertThat(Format.span(Duration.ofDays(30))).isEqualTo("30 days");
    assertThat(Format.span(Duration.ofMillis(1500))).isEqualTo("1500 ms");
  }

  @Test
  void anAddressHoldsAnyName() {
    assertThat(Format.artifact(new ArtifactId("boards", "a b/<&\"#?.img")))
        .isEqualTo("/console/artifact?repository=boards&path=a+b%2F%3C%26%22%23%3F.img");
  }
}
