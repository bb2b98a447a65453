package io.artifactserver.core.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathPolicyTest {
  @ParameterizedTest
  @ValueSource(strings = {"PT-1S", "PT31536001S", "PT0.5S", "PT300.000000001S"})
  void anAgeOutOfBoundsIsRefused(String age) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PathPolicy(false, Duration.parse(age)))
        .withMessageContaining("0 to 31536000");
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT300S", "PT31536000S"})
  void anAgeWithinTheBoundsIsTaken(String age) {
    assertThat(new PathPolicy(true, Duration.parse(age)).maxAge())
        .hasToString(Duration.parse(age).toString());
  }

  @Test
  void aDeletedArtifactIsGoneForAYear() {
    Instant deletedAt = Instant.parse("2026-01-01T00:00:00Z");
    UsedPath used =
        new UsedPath(
            new ArtifactId("fleet", "fw"),
            new Digest(DigestAlgorithm.SHA_256, "0".repeat(64)),
            deletedAt);
    assertThat(used.isGone(deletedAt)).isTrue();
    assertThat(used.isGone(Instant.parse("2026-12-31T23:59:59.999Z"))).isTrue();
    assertThat(used.isGone(Instant.parse("2027-01-01T00:00:00Z"))).isFalse();
  }
}
