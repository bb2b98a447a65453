package io.artifactserver.rest.console;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingLong;

import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.ProgressBook;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.core.progress.Sending;
import java.time.Instant;
import java.util.List;

/**
 * How far the devices are with an artifact, at one moment. Immutable.
 *
 * @param summary of all devices that have some of it
 * @param waiting devices of the repository that have nothing of it, at most {@link #MAX_DEVICES}
 * @param devices the first of those that have some of it, by name
 * @param now the moment
 */
public record Rollout(
    ProgressStore.Summary summary, long waiting, List<DeviceProgress> devices, Instant now) {
  /** Devices that are looked at one by one. */
  static final int MAX_DEVICES = 2000;

  /** Lines that a person reads. */
  private static final int MAX_LINES = 50;

  /** Asks the database. */
  static Rollout of(ProgressSubject subject, ProgressBook book, ProgressStore store, Instant now) {
    return new Rollout(
        store.summary(subject, now.minus(Sending.GAP)),
        book.missing(subject, "", MAX_DEVICES).stream()
            .filter(device -> device.delivered().runs() == 0)
            .count(),
        book.list(subject, "", MAX_DEVICES),
        now);
  }

  public RangeMap map(long length) {
    return RangeMap.of(devices, length);
  }

  /** Whether there are more devices than were looked at. */
  public boolean isPart() {
    return devices.size() == MAX_DEVICES;
  }

  /** Devices that have some of it and not all. */
  public long started() {
    return Math.max(0, summary.devices() - summary.complete());
  }

  /** Those that are not at their end and were sent nothing for a minute, the longest first. */
  public List<DeviceProgress> stuck(long length) {
    return unfinished(length).stream()
        .filter(device -> !isActive(device))
        .sorted(comparing(DeviceProgress::updatedAt))
        .limit(MAX_LINES)
        .toList();
  }

  /** Those that are being sent something, the slowest first. */
  public List<DeviceProgress> slowest(long length) {
    return unfinished(length).stream()
        .filter(this::isActive)
        .sorted(comparingLong(device -> device.sending().rate(now).orElse(0)))
        .limit(MAX_LINES)
        .toList();
  }

  private List<DeviceProgress> unfinished(long length) {
    return devices.stream().filter(device -> device.delivered().count() < length).toList();
  }

  private boolean isActive(DeviceProgress device) {
    return device.updatedAt().isAfter(now.minus(Sending.GAP));
  }
}
