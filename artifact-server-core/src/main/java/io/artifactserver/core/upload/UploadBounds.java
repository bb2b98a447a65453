package io.artifactserver.core.upload;

import java.time.Duration;
import java.util.Collection;

/**
 * Bounds of unfinished uploads. Immutable.
 *
 * @param maxUploads at the same time, complete ones not counted
 * @param maxOfOwner of them, of one caller
 * @param maxOpen of them, that hold what their store needs while bytes come; others go on when it
 *     is their turn
 * @param timeToLive of an upload, from its last byte on
 * @param interval least bytes between two checkpoints while bytes flow; longer uploads have longer
 *     ones, a {@value #SHARE}th of what they have. A crash takes at most two: bytes come while a
 *     checkpoint is made durable, but not behind the next one
 * @param pause least time between two checkpoints while bytes flow: where a checkpoint waits for a
 *     network, more of them would stop the bytes again and again. It is not awaited while bytes
 *     cannot be recovered, nor behind {@value #MOST} bytes, or a {@value #SHARE}th of the upload
 */
public record UploadBounds(
    int maxUploads,
    int maxOfOwner,
    int maxOpen,
    Duration timeToLive,
    long interval,
    Duration pause) {
  /**
   * A store's state may grow with the upload, and all of it is written at each checkpoint: at a
   * fixed interval, that would grow with the square.
   */
  private static final int SHARE = 256;

  /** Most bytes before the first checkpoint behind which bytes can be recovered, in bytes. */
  private static final long FIRST = 256 << 10;

  /** Most bytes of a short upload that wait for the pause to end, in bytes. */
  private static final long MOST = 64 << 20;

  /**
   * @throws IllegalArgumentException if a bound is not positive, or the pause is negative
   */
  public UploadBounds {
    if (maxUploads < 1
        || maxOfOwner < 1
        || maxOpen < 1
        || !timeToLive.isPositive()
        || interval < 1
        || pause.isNegative()) {
      throw new IllegalArgumentException("Bounds of uploads must be positive");
    }
  }

  /**
   * @param uploads the unfinished ones
   * @throws UploadException.TooMany if the owner of another must wait until some of them end
   */
  void requireRoom(Collection<LiveUpload> uploads, String owner) throws UploadException.TooMany {
    if (uploads.size() >= maxUploads) {
      throw new UploadException.TooMany(maxUploads, false);
    }
    if (uploads.stream().filter(live -> live.status().owner().equals(owner)).count()
        >= maxOfOwner) {
      throw new UploadException.TooMany(maxOfOwner, true);
    }
  }

  /**
   * @param goesOn whether the last checkpoint was made while bytes flowed: then few are lost with a
   *     process, and the next checkpoint has time
   * @param isRecoverable whether bytes behind it can be recovered
   * @param since the last checkpoint; negative if the clock was set back
   */
  boolean isDue(
      long position, long checkpoint, boolean goesOn, boolean isRecoverable, Duration since) {
    long behind = position - checkpoint;
    if (!goesOn) {
      return behind >= Math.min(interval, FIRST);
    }
    boolean isPauseOver =
        !isRecoverable
            || since.isNegative()
            || since.compareTo(pause) >= 0
            || behind >= Math.max(MOST, position / SHARE);
    return behind >= Math.max(interval, position / SHARE) && isPauseOver;
  }
}
