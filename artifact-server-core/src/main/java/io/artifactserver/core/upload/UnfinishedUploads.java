package io.artifactserver.core.upload;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.ingest.Admission;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.IngestResult;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Use case: take an artifact in over several requests. Thread-safe.
 *
 * <p>Bytes go straight to the blob that will keep them. After each {@linkplain UploadBounds#isDue
 * interval} and at the end of each request they are made durable, and a row says how far they go,
 * with the states of their digests: whatever dies, the upload goes on there. Room is reserved for
 * as long as an upload is unfinished. An upload at rest holds no file, connection or buffer.
 *
 * <p>The one server that an installation has knows every unfinished upload, so counts and
 * reservations are exact.
 */
public final class UnfinishedUploads {
  private static final int PAGE = 100;

  /** Complete uploads that are remembered for clients whose last answer was lost. */
  private static final int MAX_COMPLETE = 10_000;

  private final UploadPorts ports;
  private final UploadBounds bounds;
  private final OpenUploads opens;
  private final Map<String, LiveUpload> uploads = new ConcurrentHashMap<>();
  private final PartClaims claims = new PartClaims();

  /** Held while an upload of parts begins: a client that asks twice at once gets one upload. */
  private final ReentrantLock beginning = new ReentrantLock();

  /** Held while uploads are counted. */
  private final ReentrantLock counting = new ReentrantLock();

  public UnfinishedUploads(UploadPorts ports, UploadBounds bounds) {
    this.ports = ports;
    this.bounds = bounds;
    this.opens = new OpenUploads(bounds.maxOpen());
  }

  /**
   * Finds the uploads that an earlier process has left, and reserves their room. Where there is
   * none any more, it is asked for again when the upload goes on. Called once, before all other
   * methods.
   */
  public void recover() {
    String after = "";
    List<UnfinishedUpload> page;
    do {
      page = ports.rows().unfinished(after, PAGE);
      for (UnfinishedUpload upload : page) {
        after = upload.id();
        uploads.put(upload.id(), live(upload, Optional.empty()));
      }
    } while (page.size() == PAGE);
    new RecoveredParts(ports, uploads, claims).recover();
  }

  /**
   * Begins an upload. Asks the database; nothing is stored yet.
   *
   * @param owner id of the caller
   * @param metadata description that the client is told again, as it is; may be empty
   * @return the new upload
   * @throws IngestException if it is known already that the bytes cannot be taken in
   * @throws UploadException.TooMany if there are too many uploads
   */
  public UploadStatus begin(String owner, IngestRequest request, String metadata)
      throws IngestException, UploadException {
    return begin(owner, request, metadata, false, List.of());
  }

  /** As {@link #begin}, for bytes that another upload will get: there is no artifact of them. */
  public UploadStatus beginPart(String owner, IngestRequest request, String metadata)
      throws IngestException, UploadException {
    return begin(owner, request, metadata, true, List.of());
  }

  /**
   * As {@link #begin}, for an upload that gets its bytes from parts: {@link #concatenate} fills it.
   * A caller that repeats itself, because the answer was lost, gets the upload that is there: some
   * of its parts may be in place already.
   *
   * @param request without a length
   * @param parts their ids, in the order of their bytes; they need not have their bytes yet
   * @throws UploadException.NotFound if one of them is none
   * @throws UploadException.WrongPart if one is for another repository
   * @throws UploadException.PartTaken if another upload gets the bytes of one
   */
  public UploadStatus beginOfParts(
      String owner, IngestRequest request, String metadata, List<String> parts)
      throws IngestException, UploadException {
    beginning.lock();
    try {
      Optional<UploadStatus> begun = begun(owner, request, metadata, parts);
      if (begun.isPresent()) {
        return begun.get();
      }
      for (String id : parts) {
        requirePart(id, request.id().repository());
      }
      return begin(owner, request, metadata, false, parts);
    } finally {
      beginning.unlock();
    }
  }

  private Optional<UploadStatus> begun(
      String owner, IngestRequest request, String metadata, List<String> parts) {
    return whole(parts.getFirst())
        .map(uploads::get)
        .map(LiveUpload::status)
        .filter(status -> status.owner().equals(owner) && status.parts().equals(parts))
        .filter(status -> status.request().id().equals(request.id()))
        .filter(status -> metadata(status.id()).equals(metadata));
  }

  private void requirePart(String id, String repository) throws UploadException {
    LiveUpload part = uploads.get(id);
    if (part == null || !part.status().isPart()) {
      throw new UploadException.NotFound(id);
    }
    if (!part.status().request().id().repository().equals(repository)) {
      throw new UploadException.WrongPart(id, repository);
    }
  }

  /**
   * Makes an artifact of the parts of an upload, and forgets them, unless another request is at it
   * already: that one goes on. I/O, for as long as it takes to read all bytes. After a failure the
   * next call goes on where this one was.
   *
   * @param between run between two buffers: it may wait, and ends the copy if it throws
   * @param beforeArtifact run when all bytes are there: no artifact is made if it throws
   * @return empty if parts have not all of their bytes yet, or another request is at it
   * @throws UploadException.NotFound if there is no such upload, or if a part is gone: then the
   *     upload is over
   * @throws UploadException.Complete if its artifact is there
   * @throws IngestException as {@link UploadSession#complete}; too large an upload is over, too
   */
  public Optional<IngestResult> concatenate(String id, Runnable between, Runnable beforeArtifact)
      throws UploadException, IngestException, StorageException {
    LiveUpload whole = existing(id);
    List<String> parts = whole.status().parts();
    List<LiveUpload> there = parts.stream().map(uploads::get).filter(Objects::nonNull).toList();
    // Asked before the session is taken: whoever has it has seen all parts, so the request that
    // brought the last of them leaves the copy to that one.
    if (there.size() == parts.size() && there.stream().anyMatch(part -> part.part().isEmpty())) {
      return Optional.empty();
    }
    try (UploadSession session = new UploadSession(whole, () -> {})) {
      return whole.takeIfFree(session)
          ? Optional.of(concatenate(session, between, beforeArtifact))
          : Optional.empty();
    }
  }

  private IngestResult concatenate(UploadSession session, Runnable between, Runnable beforeArtifact)
      throws UploadException, IngestException, StorageException {
    Concatenation concatenation = new Concatenation(ports, uploads, between);
    UploadStatus status = session.status();
    try {
      concatenation.fill(session);
    } catch (UploadException.NotFound | IngestException.TooLarge e) {
      // Nobody can send them again.
      LiveUpload whole = uploads.get(status.id());
      if (whole != null) {
        whole.end();
      }
      throw e;
    }
    beforeArtifact.run();
    IngestResult result = session.complete().orElseThrow();
    concatenation.endAll(status.parts());
    return result;
  }

  /** Id of the upload that a part is for, if it is known yet. No I/O. */
  public Optional<String> whole(String part) {
    return claims.whole(part);
  }

  private UploadStatus begin(
      String owner, IngestRequest request, String metadata, boolean isPart, List<String> parts)
      throws IngestException, UploadException {
    bounds.requireRoom(uploads.values(), owner);
    Admission admission = ports.ingest().admit(request, isPart);
    boolean isBegun = false;
    UnfinishedUpload upload =
        new UnfinishedUpload(
            BlobRef.newKey(),
            owner,
            request,
            metadata,
            admission.encrypted(),
            BlobRef.newKey(),
            UploadProgress.NONE,
            isPart,
            parts,
            false,
            ports.expiry(bounds));
    LiveUpload live = live(upload, Optional.of(admission));
    try {
      claims.claim(upload.id(), parts);
      counting.lock();
      try {
        bounds.requireRoom(uploads.values(), owner);
        uploads.put(upload.id(), live);
      } finally {
        counting.unlock();
      }
      ports.rows().add(upload);
      isBegun = true;
      return live.status();
    } finally {
      if (!isBegun) {
        forget(upload);
        admission.close();
      }
    }
  }

  /**
   * Takes an upload over: an older request for it, if there is one, is ended first, and keeps what
   * it has brought. Waits for one write of the older request at most, and reads what a dead process
   * has written behind its last checkpoint. The caller closes the session.
   *
   * @param onSuperseded called once, on another thread, when a newer request takes the upload over
   *     or ends it: whatever waits for bytes should wake. Must not block
   * @throws UploadException.NotFound if there is no such upload
   * @throws UploadException.Complete if its artifact is there
   * @throws UploadException.OfParts if it gets its bytes from parts: {@link #concatenate}
   */
  public UploadSession take(String id, Runnable onSuperseded) throws UploadException {
    LiveUpload live = existing(id);
    UploadSession session = new UploadSession(live, onSuperseded);
    live.take(session);
    return session;
  }

  /**
   * How an upload stands. Asks the database if it is not unfinished.
   *
   * @throws UploadException.NotFound if there is no such upload
   * @throws UploadException.Complete if its artifact is there
   */
  public UploadStatus status(String id) throws UploadException {
    return existing(id).status();
  }

  /**
   * The description that the client of an upload sent; empty if there is none. Asks the database.
   */
  public String metadata(String id) {
    return ports.rows().find(id).map(UnfinishedUpload::metadata).orElse("");
  }

  /** The artifact that an upload is for, if there is such an upload. */
  public Optional<IngestRequest> request(String id) {
    LiveUpload live = uploads.get(id);
    return live == null
        ? ports.rows().find(id).map(UnfinishedUpload::request)
        : Optional.of(live.status().request());
  }

  /**
   * Ends an upload, and forgets its bytes. A request for it that is open is ended.
   *
   * @throws UploadException.NotFound if there is no such upload
   */
  public void end(String id) throws UploadException {
    LiveUpload live = uploads.get(id);
    if (live != null) {
      live.end();
    } else if (ports.rows().find(id).isPresent()) {
      ports.rows().remove(id);
    } else {
      throw new UploadException.NotFound(id);
    }
  }

  /**
   * A page of the unfinished uploads, by id. No I/O.
   *
   * @param after their ids are greater than this; empty for the first page
   */
  public List<UploadStatus> list(String after, int limit) {
    return uploads.values().stream()
        .map(LiveUpload::status)
        .filter(status -> status.id().compareTo(after) > 0)
        .sorted(Comparator.comparing(UploadStatus::id))
        .limit(limit)
        .toList();
  }

  /**
   * Ends what expired, and forgets the oldest complete uploads if they are too many. Asks the
   * database. Uploads that a request is open for stay; parts and their whole expire together.
   *
   * @return how many unfinished uploads were ended
   */
  public int endExpired() {
    int ended = new ExpiredUploads(ports, uploads, claims).end();
    int _ = ports.rows().removeCompleteBut(MAX_COMPLETE);
    return ended;
  }

  /**
   * Ends the uploads to a repository whose bytes are kept as they are: it encrypts from now on.
   * Asks the database.
   */
  public void endPlainOf(String repository) {
    uploads.values().stream().filter(live -> live.isPlainOf(repository)).forEach(LiveUpload::end);
  }

  private LiveUpload existing(String id) throws UploadException {
    LiveUpload live = uploads.get(id);
    if (live == null) {
      throw ports.absent(id);
    }
    return live;
  }

  private LiveUpload live(UnfinishedUpload found, Optional<Admission> admission) {
    UnfinishedUpload upload = found.withoutMetadata();
    return new LiveUpload(ports, bounds, upload, admission, opens, () -> forget(upload));
  }

  private void forget(UnfinishedUpload upload) {
    uploads.remove(upload.id());
    claims.release(upload.id(), upload.parts());
  }
}
