package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.digest.Digest;

/**
 * The outcome of a device's download. Immutable.
 *
 * @param bytes of the artifact that the device has been sent
 */
record Report(Subject subject, long bytes, State state) {
  /** How far a device came. */
  enum State {
    /** It was sent every byte, maybe in several requests. */
    COMPLETE,
    /** A request of it ended early, for the first time; it may go on later. */
    ABORTED
  }

  /**
   * An artifact on its way to a device.
   *
   * @param tenant in upper case
   * @param length of the artifact, in bytes
   */
  record Subject(
      String tenant,
      String controllerId,
      String softwareModuleId,
      String fileName,
      Digest sha256,
      long length) {}
}
