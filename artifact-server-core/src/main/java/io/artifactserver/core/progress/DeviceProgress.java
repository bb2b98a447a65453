package io.artifactserver.core.progress;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The part of an artifact that one device has. Immutable.
 *
 * @param device name of the device
 * @param delivered which bytes were sent to it
 * @param sending when and how fast they were sent
 * @param lastError why the latest of its downloads that broke off did; null if none did
 */
public record DeviceProgress(
    String device, DeliveredBytes delivered, Sending sending, @Nullable DeliveryError lastError) {
  /** Returns the progress of a device that has nothing of the artifact. */
  public static DeviceProgress nothing(String device) {
    return new DeviceProgress(device, DeliveredBytes.NONE, Sending.NEVER, null);
  }

  /** Returns when the device was last sent something; {@link Instant#EPOCH} if it never was. */
  public Instant updatedAt() {
    return sending.endedAt();
  }

  /** Returns this and what was sent afterwards, of one device. */
  public DeviceProgress then(DeviceProgress later) {
    return new DeviceProgress(
        device,
        delivered.plus(later.delivered),
        sending.then(later.sending),
        later.lastError == null ? lastError : later.lastError);
  }

  /**
   * Returns this, which is in the store, and what was not in it a moment ago, of one device. It may
   * have come into the store meanwhile; then it counts once.
   */
  DeviceProgress withRecent(DeviceProgress recent) {
    DeviceProgress both = then(recent);
    return recent.updatedAt().isAfter(updatedAt())
        ? both
        : new DeviceProgress(device, both.delivered, sending, both.lastError);
  }
}
