package io.artifactserver.core.progress;

import io.artifactserver.core.catalog.ArtifactId;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the progress of devices. Thread-safe. Every method asks the database and may block; {@link
 * io.artifactserver.core.catalog.CatalogUnavailableException} says that it could not.
 */
public interface ProgressStore {
  /**
   * Adds to what is kept, in one transaction: one row a device and subject.
   *
   * @param mayBegin whether a row may begin with an addition; without that, it is only taken if
   *     there is one
   */
  Added add(List<Addition> additions, Predicate<Addition> mayBegin);

  /** Returns how many rows there are: of each device one a subject. May take seconds. */
  long count();

  /**
   * Returns a page of the devices that have something of the subject, by name.
   *
   * @param after every name comes behind it; empty for the first page
   * @param limit of the page's size
   */
  List<DeviceProgress> list(ProgressSubject subject, String after, int limit);

  /**
   * Returns a page of the devices that have something of the subject's repository, but not all of
   * the subject, by name. Those that have nothing of the subject are {@link
   * DeviceProgress#nothing}.
   *
   * @param after every name comes behind it; empty for the first page
   * @param limit of the page's size
   */
  List<DeviceProgress> missing(ProgressSubject subject, String after, int limit);

  /**
   * Returns what a device has of artifacts that are there, the newest first.
   *
   * @param limit most artifacts
   */
  List<ArtifactProgress> ofDevice(String device, int limit);

  /**
   * Returns what all devices together have of the subject.
   *
   * @param since devices that were sent something after it are active
   */
  Summary summary(ProgressSubject subject, Instant since);

  /**
   * Forgets devices whose progress has not changed since.
   *
   * @param limit most rows
   * @return how many were forgotten
   */
  int deleteUnchangedSince(Instant instant, int limit);

  /**
   * Forgets what devices have of artifacts that their repositories no longer have.
   *
   * @param limit most rows
   * @return how many were forgotten
   */
  int deleteOrphans(int limit);

  /**
   * The progress of one device with an artifact. Immutable.
   *
   * @param length of the artifact, in bytes
   */
  record ArtifactProgress(ArtifactId id, long length, DeviceProgress progress) {}

  /**
   * The progress of all devices with an artifact. Immutable.
   *
   * @param devices that have some of it
   * @param complete those that have all of it
   * @param active those that were sent something lately
   * @param bytes that they have together, each byte once for each device
   * @param rate bytes per second of the active ones together
   */
  record Summary(long devices, long complete, long active, long bytes, long rate) {}

  /**
   * The bytes that were sent to a device since it was last added. Immutable.
   *
   * @param subject the artifact's bytes
   * @param progress of the device
   * @param namedBy the token, or the address, that chose the device's name; null if its credentials
   *     have it
   */
  record Addition(ProgressSubject subject, DeviceProgress progress, @Nullable Object namedBy) {}

  /**
   * The result of adding. Immutable.
   *
   * @param rows as they are kept now, in the order of the additions that were taken
   * @param begun additions with which a row began
   */
  record Added(List<Addition> rows, List<Addition> begun) {}
}
