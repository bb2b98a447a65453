package io.artifactserver.rest.console;

import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.core.progress.RolloutStore;
import io.artifactserver.core.progress.Sending;
import java.time.Instant;
import java.util.Arrays;
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
  static Rollout of(ProgressSubject subject, RolloutStore store, Instant now) {
    Instant since = now.minus(Sending.GAP);
    Sum sum = new Sum(subject.length());
    store.groups(subject, since, sum::add);
    ProgressStore.Summary summary = sum.summary();
    return new Rollout(
        summary,
        Math.max(0, store.seen(subject.repository()) - summary.devices()),
        sum.map(),
        store.slowest(subject, since, MAX_LINES),
        store.stuck(subject, since, MAX_LINES),
        now);
  }

  /** Devices that have some of it and not all. */
  public long started() {
    return Math.max(0, summary.devices() - summary.complete());
  }

  /** Adds devices up. Used by one thread. */
  static final class Sum {
    private final long length;
    private final double[] shares = new double[RangeMap.PARTS];
    private long devices;
    private long complete;
    private long active;
    private long bytes;
    private double rate;

    /**
     * @param length of the artifact
     */
    Sum(long length) {
      this.length = length;
    }

    void add(RolloutStore.Group group) {
      active += group.active();
      rate += group.rate();
      long each = group.delivered().count();
      if (each > 0) {
        group.delivered().addShares(shares, length, group.devices());
        devices += group.devices();
        bytes += group.devices() * each;
        complete += each == length ? group.devices() : 0;
      }
    }

    ProgressStore.Summary summary() {
      return new ProgressStore.Summary(devices, complete, active, bytes, Math.round(rate));
    }

    /** The map of the devices that have some of it. */
    RangeMap map() {
      return new RangeMap(
          Arrays.stream(shares).map(share -> share / Math.max(1, devices)).toArray());
    }
  }
}
