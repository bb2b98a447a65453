package io.artifactserver.rest.console;

import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.core.progress.RolloutStore;
import io.artifactserver.core.progress.Sending;
import java.time.Instant;
import java.util.List;

/**
 * How far all devices are with an artifact, at one moment. Immutable.
 *
 * @param summary of the devices that have some of it
 * @param waiting devices of the repository that have nothing of it
 * @param map of the devices that have some of it
 * @param slowest devices that are being sent something, the slowest first
 * @param stuck devices that are not at their end and were sent nothing for a minute, the longest
 *     first
 * @param now the moment
 */
public record Rollout(
    ProgressStore.Summary summary,
    long waiting,
    RangeMap map,
    List<DeviceProgress> slowest,
    List<DeviceProgress> stuck,
    Instant now) {
  /** Lines that a person reads. */
  private static final int MAX_LINES = 50;

  /** Asks the database. */
  static Rollout of(
      ProgressSubject subject, ProgressStore progress, RolloutStore store, Instant now) {
    Instant since = now.minus(Sending.GAP);
    ProgressStore.Summary summary = progress.summary(subject, since);
    return new Rollout(
        summary,
        Math.max(0, store.seen(subject.repository()) - summary.devices()),
        RangeMap.of(subject, store),
        store.slowest(subject, since, MAX_LINES),
        store.stuck(subject, since, MAX_LINES),
        now);
  }

  /** Devices that have some of it and not all. */
  public long started() {
    return Math.max(0, summary.devices() - summary.complete());
  }
}
