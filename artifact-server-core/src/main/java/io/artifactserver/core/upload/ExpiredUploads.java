package io.artifactserver.core.upload;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Ends uploads that expired. Parts and the upload that gets their bytes stay as long as one of them
 * does: none of them is of use without the others.
 *
 * @param uploads that are unfinished, by id
 */
record ExpiredUploads(UploadPorts ports, Map<String, LiveUpload> uploads, PartClaims claims) {
  private static final int PAGE = 100;

  /**
   * Asks the database.
   *
   * @return how many unfinished uploads were ended
   */
  int end() {
    Instant now = ports.clock().instant();
    int ended = 0;
    boolean goesOn = true;
    while (goesOn) {
      List<UnfinishedUpload> page = ports.rows().expiredBefore(now, PAGE);
      int settled = 0;
      for (UnfinishedUpload upload : page) {
        LiveUpload live = uploads.get(upload.id());
        Optional<Instant> longer = expiryOfGroup(upload.id()).filter(now::isBefore);
        if (live == null) {
          ports.rows().remove(upload.id());
          settled++;
        } else if (longer.isPresent()) {
          ports.rows().extend(upload.id(), longer.get());
          settled++;
        } else if (live.endIfExpired()) {
          settled++;
          ended++;
        }
      }
      goesOn = page.size() == PAGE && settled > 0;
    }
    return ended;
  }

  /** When the last of an upload of parts and its parts expires, if the upload is one of them. */
  private Optional<Instant> expiryOfGroup(String id) {
    String whole = claims.whole(id).orElse(id);
    return Optional.ofNullable(uploads.get(whole)).stream()
        .map(LiveUpload::status)
        .filter(status -> !status.parts().isEmpty())
        .flatMap(status -> Stream.concat(Stream.of(whole), status.parts().stream()))
        .map(uploads::get)
        .filter(Objects::nonNull)
        .map(each -> each.status().expiresAt())
        .max(Instant::compareTo);
  }
}
