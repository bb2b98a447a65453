package io.artifactserver.core.progress;

import io.artifactserver.core.progress.ProgressBook.Device;
import io.artifactserver.core.progress.ProgressStore.Addition;
import io.artifactserver.core.range.ByteRange;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Bytes of one subject that one device was sent, and the store does not have yet. Thread-safe. */
final class PendingProgress {
  /** So many pieces of one device need about as much memory as another device. */
  private static final int RUNS_OF_DEVICE = 16;

  private final Key key;
  private final Device device;
  private final Room room;
  private final GatheredBytes delivered = new GatheredBytes();
  private final AtomicReference<Sending> sending = new AtomicReference<>(Sending.NEVER);
  private final AtomicReference<@Nullable DeliveryError> lastError = new AtomicReference<>();
  private final AtomicBoolean isClosed = new AtomicBoolean();

  /** As how many devices it counts. */
  private final AtomicInteger weight = new AtomicInteger(1);

  /**
   * @param room of which one device's is taken
   */
  PendingProgress(Key key, Device device, Room room) {
    this.key = key;
    this.device = device;
    this.room = room;
  }

  /** The device and the artifact. */
  record Key(ProgressSubject subject, String device) {}

  Key key() {
    return key;
  }

  /**
   * @param error why it broke off; null if it did not
   * @return false if it is closed
   */
  synchronized boolean add(
      ByteRange range, Duration took, Instant now, DeliveryError.@Nullable Reason error) {
    if (isClosed.get()) {
      return false;
    }
    if (!range.isEmpty()) {
      delivered.add(range);
    }
    if (error != null) {
      lastError.set(new DeliveryError(error, now));
    }
    sending.set(
        sending.get().then(new Sending(now.minus(took), now, range.length(), 0, Duration.ZERO)));
    weigh(1 + delivered.runs() / RUNS_OF_DEVICE - weight.get());
    return true;
  }

  /** Where there is no room for more runs than it weighs, some are forgotten. */
  private void weigh(int more) {
    if (more > 0 && !room.take(device, more)) {
      room.lose(delivered.shrink(weight.get() * RUNS_OF_DEVICE - 1));
      return;
    }
    if (more < 0) {
      room.giveBack(device, -more);
    }
    weight.addAndGet(more);
  }

  /** Takes no more from now on. */
  synchronized void close() {
    isClosed.set(true);
  }

  synchronized Addition addition() {
    return new Addition(
        key.subject,
        new DeviceProgress(key.device, delivered.bytes(), sending.get(), lastError.get()),
        device.namedBy());
  }

  /** Gives its room back. Called once, when it is closed and in the store. */
  void giveBack() {
    room.giveBack(device, weight.get());
  }

  /** Counts the devices whose progress is in memory, and what found no room. Thread-safe. */
  static final class Room {
    private final int max;
    private final int maxOfAddress;
    private final AtomicInteger taken = new AtomicInteger();

    /** By who named the devices. */
    private final Map<Object, Integer> takenBy = new ConcurrentHashMap<>();

    private final AtomicLong lost = new AtomicLong();

    /**
     * @param max most devices
     * @param maxOfAddress most devices that named themselves from one address
     */
    Room(int max, int maxOfAddress) {
      this.max = max;
      this.maxOfAddress = maxOfAddress;
    }

    /**
     * Returns false, and takes nothing, if there is not so much. A caller that chooses names has no
     * more than it leaves to others.
     */
    boolean take(Device device, int weight) {
      int all = taken.addAndGet(weight);
      if (all > max) {
        taken.addAndGet(-weight);
        return false;
      }
      Object namedBy = device.namedBy();
      if (namedBy != null
          && takenBy.merge(namedBy, weight, Integer::sum)
              > (device.isStranger() ? maxOfAddress : Math.max(1, max - all))) {
        giveBack(device, weight);
        return false;
      }
      return true;
    }

    void giveBack(Device device, int weight) {
      taken.addAndGet(-weight);
      Object namedBy = device.namedBy();
      if (namedBy != null) {
        takenBy.computeIfPresent(
            namedBy, (_, count) -> count == weight ? null : Integer.valueOf(count - weight));
      }
    }

    int taken() {
      return taken.get();
    }

    void lose(int deliveries) {
      lost.addAndGet(deliveries);
    }

    long lost() {
      return lost.get();
    }
  }
}
