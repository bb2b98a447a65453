package io.artifactserver.core.release;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A device that was offered the release of a channel which goes back by itself. Thread-safe; no
 * method takes a lock.
 */
public final class WatchedDevice {
  /** A device that has got a twentieth has begun: RAUC reads some kilobytes to decide. */
  private static final int BEGINNING = 20;

  private static final int WATCHED = 0;
  private static final int DONE = 1;
  private static final int FAILED = 2;

  private final Channel channel;
  private final String release;
  private final long length;
  private final int softwareHash;

  /** By whom it is counted; null if it showed credentials. */
  private final @Nullable Object origin;

  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong beganNanos;
  private final AtomicLong latestNanos;
  private final AtomicInteger fate = new AtomicInteger(WATCHED);

  WatchedDevice(
      ChannelState state, long length, int softwareHash, @Nullable Object origin, long nanos) {
    this.channel = state.channel();
    this.release = String.valueOf(state.release());
    this.length = length;
    this.softwareHash = softwareHash;
    this.origin = origin;
    this.beganNanos = new AtomicLong(nanos);
    this.latestNanos = new AtomicLong(nanos);
  }

  /** The device was sent bytes. */
  void delivered(long count, long nanos) {
    boolean hadBegun = hasBegun();
    bytes.getAndAdd(count);
    if (!hadBegun && hasBegun()) {
      beganNanos.lazySet(nanos);
    }
    latestNanos.lazySet(nanos);
  }

  /** The device says that it has installed the release. */
  void succeeded() {
    fate.set(DONE);
  }

  /** The device says that it could not install the release. */
  void failed() {
    fate.set(FAILED);
  }

  /**
   * The device asks again whether there is something for it.
   *
   * @param isFailure whether its program asks again only when the update was in vain
   */
  void polled(int software, boolean isFailure) {
    if (hasBegun()) {
      fate.compareAndSet(WATCHED, isFailure && software == softwareHash ? FAILED : DONE);
    }
  }

  boolean isOf(ChannelState state) {
    return release.equals(state.release()) && channel.equals(state.channel());
  }

  Channel channel() {
    return channel;
  }

  @Nullable Object origin() {
    return origin;
  }

  /** Whether it is so long ago that it began, or was offered the release if it has not. */
  boolean beganWithin(Duration time, long nanos) {
    return nanos - beganNanos.get() <= time.toNanos();
  }

  boolean hasBegun() {
    return fate.get() != WATCHED || bytes.get() * BEGINNING > length;
  }

  boolean isDone() {
    return fate.get() == DONE || (fate.get() == WATCHED && bytes.get() >= length);
  }

  /** Whether it failed by itself, or has begun and been sent nothing for too long. */
  boolean hasFailed(Duration stall, long nanos) {
    return fate.get() == FAILED
        || (hasBegun() && !isDone() && nanos - latestNanos.get() > stall.toNanos());
  }
}
