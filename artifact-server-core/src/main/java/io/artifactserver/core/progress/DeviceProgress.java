package io.artifactserver.core.progress;

import java.time.Instant;

/**
 * What one device has of one artifact. Immutable.
 *
 * @param device name of the device
 * @param delivered which bytes were sent to it
 * @param updatedAt when the last of them were sent; {@link #NEVER} if none were sent
 */
public record DeviceProgress(String device, DeliveredBytes delivered, Instant updatedAt) {
  /** The time of the last delivery to a device that was sent nothing. */
  public static final Instant NEVER = Instant.EPOCH;

  /** Returns the progress of a device that has nothing of the artifact. */
  public static DeviceProgress nothing(String device) {
    return new DeviceProgress(device, DeliveredBytes.NONE, NEVER);
  }

  /** Returns the two together, of one device. */
  DeviceProgress plus(DeviceProgress other) {
    return new DeviceProgress(
        device,
        delivered.plus(other.delivered),
        updatedAt.isAfter(other.updatedAt) ? updatedAt : other.updatedAt);
  }

  /** Returns the two together, of one device. */
  public static DeviceProgress merged(DeviceProgress one, DeviceProgress other) {
    return one.plus(other);
  }
}
