package io.artifactserver.rest.api.artifact;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.IngestResult;
import io.artifactserver.core.upload.UnfinishedUploads;
import io.artifactserver.core.upload.UploadException;
import io.artifactserver.core.upload.UploadSession;
import io.artifactserver.core.upload.UploadStatus;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.UploadProblems;
import io.swagger.v3.oas.annotations.Hidden;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.http.HttpFields;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;

/**
 * Uploads over several requests by draft-ietf-httpbis-resumable-upload-12 on an artifact's own
 * address. Their addresses are those of tus, and either protocol goes on where the other one was.
 * Thread-safe.
 */
@RestController
@Tag(name = "Uploads")
public record ResumableUploadController(
    ArtifactUploadController whole,
    UnfinishedUploads uploads,
    UploadReception reception,
    UploadAssembly assembly,
    ArtifactCatalog catalog,
    UploadProperties properties) {
  private static final String ARTIFACT = "/api/v1/repositories/{repository}/artifacts/{*path}";

  /** Between two interim answers that tell how much is durable, in bytes. */
  private static final long TELL_INTERVAL = 8L << 20;

  /** Tells that uploads to this address may go on in other requests, and what bounds them. */
  @Hidden
  @RequestMapping(path = ARTIFACT, method = RequestMethod.OPTIONS)
  public ResponseEntity<Void> options(HttpServletRequest request) {
    return ResponseEntity.noContent()
        .header(HttpHeaders.ALLOW, "GET, HEAD, PUT, POST, DELETE, OPTIONS")
        .header("Accept-Patch", DraftFields.MEDIA_TYPE)
        .header(DraftFields.LIMIT, limit())
        .header(DraftFields.VERSION, DraftFields.version(request).orElse("8"))
        .build();
  }

  /** Takes an artifact in, and lets the client go on if the request breaks off. */
  @Hidden
  @PutMapping(
      path = ARTIFACT,
      headers = {DraftFields.COMPLETE, DraftFields.VERSION})
  public ResponseEntity<?> put(
      ArtifactId id, HttpServletRequest request, HttpServletResponse response)
      throws IngestException, StorageException, UploadException, IOException {
    Optional<String> version = DraftFields.version(request);
    return version.isPresent()
        ? create(id, version.get(), request, response)
        : whole.put(id, request);
  }

  /** As a PUT, whatever the body's type is. */
  @Hidden
  @PostMapping(
      path = ARTIFACT,
      headers = {DraftFields.COMPLETE, DraftFields.VERSION})
  public ResponseEntity<?> post(
      ArtifactId id, HttpServletRequest request, HttpServletResponse response)
      throws IngestException,
          StorageException,
          UploadException,
          IOException,
          HttpRequestMethodNotSupportedException {
    Optional<String> version = DraftFields.version(request);
    return version.isPresent()
        ? create(id, version.get(), request, response)
        : whole.post(id, request);
  }

  /** Tells how far an upload has come, to whom speaks no tus: 204, to a GET as well. */
  @Hidden
  @RequestMapping(
      path = TusController.PATH + "/{id}",
      method = {RequestMethod.HEAD, RequestMethod.GET})
  public ResponseEntity<Void> head(
      @PathVariable String id, HttpServletRequest request, HttpServletResponse response)
      throws IngestException, StorageException, UploadException {
    reception.requireInScope(id);
    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    try {
      UploadStatus status = uploads.status(id);
      if (!status.parts().isEmpty()) {
        assembly
            .concatenate(id, request)
            .ifPresent(made -> AuditDetails.after(ArtifactView.of(made.artifact())));
      }
      long position = status.parts().isEmpty() ? pause(id) : uploads.status(id).position();
      OptionalLong length = knownLength(uploads.status(id).request());
      length.ifPresent(value -> response.setHeader(DraftFields.LENGTH, String.valueOf(value)));
      boolean isStored = status.isPart() && position == length.orElse(-1);
      return standing(position, isStored).build();
    } catch (UploadException.Complete e) {
      // The answer to its last byte may be lost: this says the same.
      IngestRequest complete = e.upload().request();
      String length = String.valueOf(complete.declaredLength());
      response.setHeader(DraftFields.LENGTH, length);
      catalog
          .findCurrent(complete.id())
          .ifPresent(artifact ->
              response.setHeader(
                  HttpHeaders.CONTENT_LOCATION, ArtifactView.of(artifact).links().self()));
      return standing(complete.declaredLength(), true).build();
    }
  }

  /** Ends an older request. Returns where the upload goes on. */
  private long pause(String id) throws StorageException, UploadException {
    try (UploadSession session = uploads.take(id, () -> {})) {
      return session.pause();
    }
  }

  /** Takes bytes: 204, or what a PUT answers if they are the last. */
  @Hidden
  @PatchMapping(path = TusController.PATH + "/{id}", consumes = DraftFields.MEDIA_TYPE)
  public ResponseEntity<?> patch(
      @PathVariable String id, HttpServletRequest request, HttpServletResponse response)
      throws IngestException, StorageException, UploadException {
    reception.requireInScope(id);
    response.setHeader(DraftFields.COMPLETE, DraftFields.FALSE);
    boolean isLast =
        DraftFields.isComplete(request)
            .orElseThrow(() -> malformed(DraftFields.COMPLETE, "PATCH needs it: ?0 or ?1"));
    long offset =
        DraftFields.offset(request)
            .orElseThrow(() ->
                malformed(DraftFields.OFFSET, "PATCH needs it: the position of its first byte"));
    Optional<Digest> checksum = ArtifactUploadController.contentDigest(request);
    try {
      ResponseEntity<?> answer = receive(id, request, response, offset, isLast, checksum);
      if (!isLast) {
        AuditDetails.nothingChanged();
      }
      return answer;
    } catch (UploadException.Complete e) {
      response.setHeader(DraftFields.COMPLETE, DraftFields.TRUE);
      throw e;
    } catch (UploadException.WrongLength e) {
      if (e.isTooLong()
          && DraftFields.length(request).isEmpty()
          && (!isLast || request.getContentLengthLong() < 0)) {
        // More bytes than it has room for: section 4.4.2 ends it.
        uploads.end(id);
      }
      throw e;
    }
  }

  private ResponseEntity<?> create(
      ArtifactId id, String version, HttpServletRequest request, HttpServletResponse response)
      throws IngestException, StorageException, UploadException {
    response.setHeader(DraftFields.COMPLETE, DraftFields.FALSE);
    boolean isLast = DraftFields.isComplete(request).orElse(true);
    IngestRequest wanted =
        ArtifactUploadController.ingestRequest(
            id, request, length(request, 0, isLast).orElse(IngestRequest.UNKNOWN_LENGTH), isLast);
    boolean mustBeAbsent = "*".equals(request.getHeader("If-None-Match"));
    if (mustBeAbsent && catalog.findCurrent(id).isPresent()) {
      throw ArtifactUploadController.taken(id);
    }
    UploadStatus begun;
    try {
      begun = uploads.begin(CurrentCaller.get().id(), wanted, "");
    } catch (IngestException.TooLarge e) {
      response.setHeader(DraftFields.LIMIT, limit());
      throw e;
    }
    AuditDetails.after(UploadView.of(begun));
    String location = TusController.PATH + '/' + begun.id();
    UploadExchange.of(request)
        .interim()
        .accept(
            HttpFields.build()
                .add(HttpHeaders.LOCATION, location)
                .add(DraftFields.LIMIT, limit())
                .add(DraftFields.VERSION, version));
    if (!isLast) {
      response.setHeader(HttpHeaders.LOCATION, location);
    }
    Optional<Digest> checksum =
        isLast ? Optional.empty() : ArtifactUploadController.contentDigest(request);
    ResponseEntity<?> answer;
    try {
      answer = receive(begun.id(), request, response, 0, isLast, checksum);
    } catch (UploadException.WrongLength e) {
      // Section 4.4.2, too: nothing that this client has can complete it.
      uploads.end(begun.id());
      throw e;
    }
    if (!isLast) {
      return ResponseEntity.status(HttpStatus.CREATED).headers(answer.getHeaders()).build();
    }
    if (mustBeAbsent && answer.getStatusCode().value() == HttpStatus.OK.value()) {
      throw ArtifactUploadController.taken(id);
    }
    return answer;
  }

  private ResponseEntity<?> receive(
      String id,
      HttpServletRequest request,
      HttpServletResponse response,
      long offset,
      boolean isLast,
      Optional<Digest> checksum)
      throws IngestException, StorageException, UploadException {
    UploadReception.Received received;
    try {
      received =
          reception.receive(
              request,
              id,
              new UploadReception.Body(
                  offset,
                  length(request, offset, isLast),
                  ArtifactUploadController.reprDigests(request),
                  checksum,
                  request.getContentLengthLong() != 0,
                  isLast ? UploadReception.Completion.NOW : UploadReception.Completion.LATER,
                  DraftFields.version(request)
                      .map(version -> teller(request, version, offset))
                      .orElse(_ -> {})));
    } catch (IngestException.DigestMismatch
        | IngestException.PathTaken
        | IngestException.PathUsed e) {
      // All bytes came: to send them again changes nothing.
      response.setHeader(DraftFields.COMPLETE, DraftFields.TRUE);
      throw e;
    } catch (IngestException.TooLarge e) {
      response.setHeader(DraftFields.LIMIT, limit());
      throw e;
    }
    if (isLast && received.status().isPart()) {
      response.setHeader(DraftFields.COMPLETE, DraftFields.TRUE);
      assembly
          .concatenateWholeOf(id, request)
          .ifPresentOrElse(
              made -> AuditDetails.after(ArtifactView.of(made.artifact())),
              AuditDetails::nothingChanged);
    }
    if (received.result().isPresent()) {
      IngestResult result = received.result().get();
      AuditDetails.after(ArtifactView.of(result.artifact()));
      response.setHeader(DraftFields.COMPLETE, DraftFields.TRUE);
      return whole.respond(result);
    }
    return ResponseEntity.noContent()
        .header(DraftFields.OFFSET, String.valueOf(received.status().position()))
        .header(DraftFields.LIMIT, limit())
        .build();
  }

  /** Tells now and then how much is durable, so that the client needs it no more. */
  private static UploadReception.Progress teller(
      HttpServletRequest request, String version, long offset) {
    UploadExchange exchange = UploadExchange.of(request);
    AtomicLong told = new AtomicLong(offset);
    return kept -> {
      if (kept - told.get() >= TELL_INTERVAL) {
        told.set(kept);
        exchange
            .interim()
            .accept(
                HttpFields.build()
                    .add(DraftFields.OFFSET, String.valueOf(kept))
                    .add(DraftFields.VERSION, version));
      }
    };
  }

  /** The length of the upload, as far as the request says it (section 4.1.3). */
  private static OptionalLong length(HttpServletRequest request, long offset, boolean isLast) {
    OptionalLong declared = DraftFields.length(request);
    long content = request.getContentLengthLong();
    if (!isLast || content < 0) {
      return declared;
    }
    long length = UploadReception.end(offset, content);
    if (declared.isPresent() && declared.getAsLong() != length) {
      throw new ProblemException(
          UploadProblems.inconsistentLength(
              "Upload-Length is %d, and the last byte of this request is the %d. of its upload."
                  .formatted(declared.getAsLong(), length)));
    }
    return OptionalLong.of(length);
  }

  private ResponseEntity.HeadersBuilder<?> standing(long position, boolean isComplete) {
    return ResponseEntity.noContent()
        .header(DraftFields.OFFSET, String.valueOf(position))
        .header(DraftFields.COMPLETE, isComplete ? DraftFields.TRUE : DraftFields.FALSE)
        .header(DraftFields.LIMIT, limit());
  }

  private static OptionalLong knownLength(IngestRequest request) {
    return request.declaredLength() == IngestRequest.UNKNOWN_LENGTH
        ? OptionalLong.empty()
        : OptionalLong.of(request.declaredLength());
  }

  private String limit() {
    return "max-size=%d, max-age=%d"
        .formatted(properties.maxArtifactSize().toBytes(), properties.expiry().toSeconds());
  }

  private static ProblemException malformed(String name, String rule) {
    return new ProblemException(
        HttpStatus.BAD_REQUEST, "Malformed " + name, "%s. See docs/uploads.md.".formatted(rule));
  }
}
