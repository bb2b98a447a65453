package io.artifactserver.rest.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.progress.DeliveredBytes;
import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.core.progress.RolloutStore;
import io.artifactserver.core.progress.Sending;
import io.artifactserver.core.range.ByteRange;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RangeMapTest {
  private static final long LENGTH = 1_000_000;

  @Test
  void eachPartSaysHowManyHaveIt() {
    RangeMap map = map(Map.of(bytes(0, LENGTH), 1L, bytes(0, LENGTH / 2), 1L));
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
    assertThat(map(Map.of()).percent()).containsOnly(0);
    assertThat(RangeMap.of(DeviceProgress.nothing("a"), 0).percent()).containsOnly(0);
  }

  /** Devices that have the same are told of once, and all of them count. */
  @Test
  void eachDeviceOfManyCounts() {
    assertThat(map(Map.of(bytes(0, LENGTH), 99_999L, bytes(0, LENGTH / 2), 1L)).percent()[199])
        .isEqualTo(99);
    assertThat(map(Map.of(bytes(0, LENGTH / 2), 25_000L, bytes(LENGTH / 2, 1), 75_000L)).percent())
        .startsWith(25);
  }

  /** Devices that tried in vain are active, and have nothing. */
  @Test
  void devicesAreAddedUpWithTheirBytes() {
    assertThat(
            sum(Map.of(bytes(0, LENGTH), 7L, bytes(10, 10), 2L, DeliveredBytes.NONE, 5L)).summary())
        .isEqualTo(new ProgressStore.Summary(9, 7, 3, 7 * LENGTH + 20, 2));
  }

  private static RangeMap map(Map<DeliveredBytes, Long> devices) {
    return sum(devices).map();
  }

  private static Rollout.Sum sum(Map<DeliveredBytes, Long> devices) {
    Rollout.Sum sum = new Rollout.Sum(LENGTH);
    devices.forEach((bytes, count) -> sum.add(new RolloutStore.Group(bytes, count, 1, 0.5)));
    return sum;
  }

  private static DeliveredBytes bytes(long position, long length) {
    return DeliveredBytes.of(new ByteRange(position, length));
  }

  private static DeviceProgress device(String name, long position, long length) {
    return new DeviceProgress(name, bytes(position, length), Sending.NEVER, null);
  }
}
