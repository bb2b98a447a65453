package io.artifactserver.core.upload;

import java.util.Map;
import java.util.Objects;

/**
 * The uploads that an earlier process has left, which of them are parts of others, and the room of
 * all.
 *
 * @param uploads by id
 */
record RecoveredParts(UploadPorts ports, Map<String, LiveUpload> uploads, PartClaims claims) {
  /** Ends parts that are in place, and reserves the room of all others. Asks the database. */
  void recover() {
    uploads.values().forEach(this::claim);
    for (LiveUpload each : uploads.values()) {
      each.reserveIfPossible(left(each));
    }
  }

  private void claim(LiveUpload whole) {
    UploadStatus status = whole.status();
    new Concatenation(ports, uploads, () -> {})
        .endAll(status.parts().subList(0, whole.bytes().keptParts()));
    try {
      claims.claim(status.id(), status.parts());
    } catch (UploadException.PartTaken _) {
      // The parts are another's: this one is told so when somebody asks for it.
    }
  }

  /** How many bytes are in parts that are not in place. */
  private long left(LiveUpload whole) {
    return whole.status().parts().stream()
        .map(uploads::get)
        .filter(Objects::nonNull)
        .mapToLong(part -> Math.max(0, part.status().request().declaredLength()))
        .sum();
  }
}
