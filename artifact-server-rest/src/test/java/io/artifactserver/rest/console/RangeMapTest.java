package io.artifactserver.rest.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.progress.DeliveredBytes;
import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.Sending;
import io.artifactserver.core.range.ByteRange;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RangeMapTest {
  private static final long LENGTH = 1_000_000;

  @Test
  void eachPartSaysHowManyHaveIt() {
    RangeMap map = RangeMap.of(List.of(device("a", 0, LENGTH), device("b", 0, LENGTH / 2)), LENGTH);
    assertThat(Arrays.copyOf(map.percent(), 100)).containsOnly(100);
    assertThat(Arrays.copyOfRange(map.percent(), 100, 200)).containsOnly(50);
    assertThat(map.text())
        .isEqualTo(
            "On average a device has 75.0 % of the artifact. Every device has 50.0 % of it.");
  }

  /** A single byte of one device shows, and a single one that lacks, too. */
  @Test
  void onlyNoneIsNothingAndOnlyAllIsWhole() {
    assertThat(RangeMap.of(device("a", 500, 1), LENGTH).percent()[0]).isEqualTo(1);
    assertThat(RangeMap.of(device("a", 0, 4999), LENGTH).percent()[0]).isEqualTo(99);
    assertThat(RangeMap.of(device("a", 0, 5000), LENGTH).percent()).startsWith(100, 0);
  }

  @Test
  void withoutDevicesOrBytesNothingIsThere() {
    assertThat(RangeMap.of(List.of(), LENGTH).percent()).containsOnly(0);
    assertThat(RangeMap.of(List.of(DeviceProgress.nothing("a")), 0).percent()).containsOnly(0);
  }

  private static DeviceProgress device(String name, long position, long length) {
    return new DeviceProgress(
        name, DeliveredBytes.of(new ByteRange(position, length)), Sending.NEVER, null);
  }
}
