package io.artifactserver.core.upload;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UploadBoundsTest {
  private static final long MIB = 1 << 20;

  private final UploadBounds bounds =
      new UploadBounds(1, 1, 1, Duration.ofHours(1), 8 * MIB, Duration.ofSeconds(2));

  @ParameterizedTest
  @CsvSource({
    // The first of a request: nothing can be recovered before it.
    "1,      0.2, false, true,  0,  false",
    "1,      0.3, false, true,  0,  true",
    // An interval and the pause.
    "100,    7,   true,  true,  60, false",
    "100,    8,   true,  true,  1,  false",
    "100,    8,   true,  true,  2,  true",
    "100,    8,   true,  true,  -9, true",
    // The journal is long enough.
    "100,    63,  true,  true,  1,  false",
    "100,    64,  true,  true,  1,  true",
    // A 256th of a long upload.
    "102400, 399, true,  true,  60, false",
    "102400, 400, true,  true,  0,  true",
    "20480,  79,  true,  true,  60, false",
    "20480,  80,  true,  true,  0,  true",
    // Without a journal nothing is worth waiting for.
    "100,    7,   true,  false, 0,  false",
    "100,    8,   true,  false, 0,  true"
  })
  void aCheckpointIsDue(
      long position,
      double behind,
      boolean goesOn,
      boolean isRecoverable,
      long since,
      boolean due) {
    long written = position * MIB;
    assertThat(
            bounds.isDue(
                written,
                written - (long) (behind * MIB),
                goesOn,
                isRecoverable,
                Duration.ofSeconds(since)))
        .isEqualTo(due);
  }
}
