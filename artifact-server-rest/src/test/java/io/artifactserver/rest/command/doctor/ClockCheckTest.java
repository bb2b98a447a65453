package io.artifactserver.rest.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClockCheckTest {
  private static final Instant TODAY = Instant.parse("2026-11-20T21:00:00Z");

  @Test
  void aSynchronisedClockIsGood() {
    assertThat(new ClockCheck(TODAY, Optional.of(new KernelClock(true, 12_345))).finding())
        .returns(Verdict.OK, Finding::verdict)
        .returns("synchronised, at most 12 ms off", Finding::meaning);
  }

  @Test
  void aClockThatNobodyDisciplinesIsAWarning() {
    assertThat(new ClockCheck(TODAY, Optional.of(new KernelClock(false, 0))).finding().verdict())
        .isEqualTo(Verdict.WARN);
    assertThat(new ClockCheck(TODAY, Optional.empty()).finding().verdict()).isEqualTo(Verdict.WARN);
  }

  @Test
  void aClockWithoutABatteryIsAFailure() {
    assertThat(new ClockCheck(Instant.EPOCH, Optional.of(new KernelClock(true, 0))).finding())
        .returns(Verdict.FAIL, Finding::verdict);
  }

  @Test
  void theKernelAnswers() {
    assertThat(KernelClock.read())
        .hasValueSatisfying(clock -> assertThat(clock.maxErrorMicros()).isNotNegative());
  }
}
