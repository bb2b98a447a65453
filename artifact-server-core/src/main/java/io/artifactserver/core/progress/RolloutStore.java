package io.artifactserver.core.progress;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

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
   * Tells of all devices that were sent some of the subject or tried in vain, together of those
   * that have the same of it. Holds a part of the groups in memory at a time.
   *
   * @param since devices that were sent something after it are active
   */
  void groups(ProgressSubject subject, Instant since, Consumer<Group> consumer);

  /** Returns how many devices have some of the subject, and how many have all of it. */
  Counts counts(ProgressSubject subject);

  /**
   * Numbers of devices. Immutable.
   *
   * @param some have a part of it, and not all
   * @param all have all of it
   */
  record Counts(long some, long all) {}

  /**
   * Devices that have the same of a subject. Immutable.
   *
   * @param delivered the bytes that each of them has; may be empty
   * @param devices how many they are
   * @param active how many of them are active
   * @param rate of the active ones together, in bytes a second
   */
  record Group(DeliveredBytes delivered, long devices, long active, double rate) {}
}
