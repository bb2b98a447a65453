package io.artifactserver.core.upload;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which upload gets the bytes of each part. It is one at most, so that no bytes are copied in vain,
 * and all uploads together name no more parts than there are. Thread-safe.
 */
final class PartClaims {
  /** Id of a part, and that of its upload. Guarded by this object. */
  private final Map<String, String> wholes = new HashMap<>();

  /**
   * Gives parts to an upload: all of them, or none.
   *
   * @throws UploadException.PartTaken if another upload has one
   */
  synchronized void claim(String whole, List<String> parts) throws UploadException.PartTaken {
    for (String part : parts) {
      String taken = wholes.get(part);
      if (taken != null) {
        throw new UploadException.PartTaken(part, taken);
      }
    }
    parts.forEach(part -> wholes.put(part, whole));
  }

  /** Frees the parts that an upload has. */
  synchronized void release(String whole, List<String> parts) {
    parts.forEach(part -> wholes.remove(part, whole));
  }

  /** Id of the upload that gets the bytes of a part. */
  synchronized Optional<String> whole(String part) {
    return Optional.ofNullable(wholes.get(part));
  }
}
