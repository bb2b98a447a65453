package io.artifactserver.core.progress;

import java.time.Instant;
import java.util.List;
import java.util.function.ObjLongConsumer;

/**
 * Questions about all devices at once, which the store answers without handing each of them out.
 * Thread-safe. Every method asks the database and may block; {@link
 * io.artifactserver.core.catalog.CatalogUnavailableException} says that it could not.
 */
public interface RolloutStore {
  /** Returns how many devices were sent something of any artifact after an instant. */
  long active(Instant since);

  /** Returns how many devices were sent something of a repository, or tried in vain. */
  long seen(String repository);

  /**
   * Returns devices that do not have all of the subject and were sent something of it after an
   * instant, the slowest first.
   *
   * @param limit most devices
   */
  List<DeviceProgress> slowest(ProgressSubject subject, Instant since, int limit);

  /**
   * Returns devices that do not have all of the subject and were sent nothing of it after an
   * instant, those that wait longest first.
   *
   * @param limit most devices
   */
  List<DeviceProgress> stuck(ProgressSubject subject, Instant since, int limit);

  /**
   * Tells what devices have of the subject: sets of bytes that are not empty, and how many devices
   * have just these. Holds a part of them in memory at a time.
   */
  void delivered(ProgressSubject subject, ObjLongConsumer<DeliveredBytes> consumer);
}
