package io.artifactserver.core.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Properties of the places of devices in releases, for names of many forms. */
class StageHashTest {
  private static final int DEVICES = 100_000;

  @ParameterizedTest
  @ValueSource(strings = {"number", "mac", "uuid", "prefix", "letters"})
  void eachPercentageIsThatShareOfTheDevices(String form) {
    List<String> devices = devices(form);
    for (int percentage : new int[] {1, 2, 5, 10, 25, 50, 75, 90, 99}) {
      for (String release : new String[] {"1.2", "1.3", "board-a/2026-01-01"}) {
        double share = share(devices, release, percentage);
        // Six times the deviation of fair draws.
        double deviation = Math.sqrt(percentage / 100.0 * (1 - percentage / 100.0) / DEVICES);
        assertThat(share)
            .as("%d %% of %s", percentage, release)
            .isCloseTo(percentage / 100.0, within(6 * deviation));
      }
    }
  }

  @Test
  void raisingThePercentageOnlyAddsDevices() {
    for (String device : devices("uuid").subList(0, 2_000)) {
      boolean isIncluded = false;
      for (int percentage = 1; percentage <= 100; percentage++) {
        boolean isNow = StageHash.includes(device, "1.2", percentage);
        assertThat(isNow || !isIncluded).as("%s at %d", device, percentage).isTrue();
        isIncluded = isNow;
      }
      assertThat(isIncluded).isTrue();
    }
  }

  /** The first tenth of one release is to the next as everybody is. */
  @ParameterizedTest
  @ValueSource(strings = {"number", "mac", "uuid", "prefix", "letters"})
  void otherDevicesGoFirstInAnotherRelease(String form) {
    List<String> first =
        devices(form).stream().filter(each -> StageHash.includes(each, "1.2", 10)).toList();
    for (String release : new String[] {"1.3", "1.20", "1.2 ", "2.1"}) {
      assertThat(share(first, release, 10)).as(release).isCloseTo(0.1, within(0.02));
    }
  }

  @Test
  void aPlaceStaysWhatItIs() {
    assertThat(StageHash.hash("4711", "1.2")).isEqualTo(StageHash.hash("4711", "1.2"));
    // Or the devices of a stage would change with the server's version.
    assertThat(StageHash.hash("4711", "1.2")).isEqualTo(2708105106726770243L);
    assertThat(StageHash.hash("12", "1")).isNotEqualTo(StageHash.hash("1", "12"));
  }

  private static double share(List<String> devices, String release, int percentage) {
    long included =
        devices.stream().filter(each -> StageHash.includes(each, release, percentage)).count();
    return (double) included / devices.size();
  }

  private static List<String> devices(String form) {
    Random random = new Random(7);
    List<String> devices = new ArrayList<>(DEVICES);
    IntStream.range(0, DEVICES)
        .forEach(i ->
            devices.add(
                switch (form) {
                  case "number" -> String.valueOf(i);
                  case "mac" -> "02:00:00:%02x:%02x:%02x".formatted(i >> 16, i >> 8 & 255, i & 255);
                  case "uuid" -> new UUID(random.nextLong(), random.nextLong()).toString();
                  case "prefix" -> "gateway-of-the-fleet-" + i;
                  default -> "x".repeat(i % 50) + Integer.toString(i, 36);
                }));
    return devices;
  }
}
