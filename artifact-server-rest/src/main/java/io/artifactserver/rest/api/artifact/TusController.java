package io.artifactserver.rest.api.artifact;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.IngestResult;
import io.artifactserver.core.lint.ArtifactLint;
import io.artifactserver.core.upload.UnfinishedUploads;
import io.artifactserver.core.upload.UploadException;
import io.artifactserver.core.upload.UploadSession;
import io.artifactserver.core.upload.UploadStatus;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.http.DigestFields;
import io.artifactserver.rest.http.EntityTag;
import io.artifactserver.rest.http.HttpDate;
import io.artifactserver.rest.http.WarningsField;
import io.swagger.v3.oas.annotations.Hidden;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Uploads over several requests by tus 1.0.0: core, creation, creation-with-upload,
 * creation-defer-length, termination, expiration, checksum, concatenation and
 * concatenation-unfinished. Thread-safe.
 */
@RestController
@RequestMapping(TusController.PATH)
@Tag(name = "Uploads")
public record TusController(
    UnfinishedUploads uploads,
    UploadReception reception,
    UploadAssembly assembly,
    UploadProperties properties,
    ArtifactLint lint) {
  static final String PATH = "/api/v1/uploads";

  private static final String EXTENSIONS =
      "creation,creation-with-upload,creation-defer-length,termination,expiration,checksum,"
          + "concatenation,concatenation-unfinished";
  private static final String EXPIRES = "Upload-Expires";

  /** Tells what of tus is known here: 204. */
  @Hidden
  @RequestMapping(method = RequestMethod.OPTIONS)
  public ResponseEntity<Void> options() {
    return ResponseEntity.noContent()
        .header(TusFields.RESUMABLE, TusFields.VERSION)
        .header("Tus-Version", TusFields.VERSION)
        .header("Tus-Extension", EXTENSIONS)
        .header("Tus-Max-Size", String.valueOf(properties.maxArtifactSize().toBytes()))
        .header(
            "Tus-Checksum-Algorithm",
            Arrays.stream(DigestAlgorithm.values())
                .map(DigestAlgorithm::id)
                .collect(Collectors.joining(",")))
        .build();
  }

  /** A page of the unfinished uploads, by id. */
  @GetMapping
  @Operation(
      summary = "List the unfinished uploads",
      description = "In the order of their ids. Follow \"next\" until there is none.")
  public ResponseEntity<UploadView.Page> list(
      @Parameter(description = "Every id comes behind it; \"next\" has its value")
          @RequestParam(defaultValue = "")
          String after,
      @Parameter(description = "Of the page's size, 1 to 1000") @RequestParam(defaultValue = "1000")
          int limit) {
    return UploadView.Page.of(uploads, after, limit);
  }

  /** Begins an upload, with its first bytes or without, or of parts: 201. */
  @PostMapping
  @Operation(
      summary = "Begin an upload (tus)",
      description =
          "Upload-Metadata has repository and path, and may have sha256 and mediaType. The answer's"
              + " Location takes the bytes with PATCH. A sha256 is compared with what the path has."
              + " With Upload-Concat: partial the bytes are for an upload that names this one with"
              + " Upload-Concat: final.")
  public ResponseEntity<ArtifactView> create(
      @Parameter(hidden = true) HttpServletRequest request,
      @Parameter(hidden = true) HttpServletResponse response)
      throws IngestException, StorageException, UploadException {
    speak(request, response);
    TusConcat concat = TusConcat.of(request);
    IngestRequest wanted = TusFields.request(request, concat);
    UploadReception.requireInScope(wanted);
    if (!concat.parts().isEmpty()) {
      return createOfParts(wanted, concat.parts(), request, response);
    }
    boolean hasBytes = TusFields.hasBytes(request);
    if (!hasBytes && request.getContentLengthLong() > 0) {
      TusFields.requireBytes(request);
    }
    String owner = CurrentCaller.get().id();
    String metadata = TusFields.sentMetadata(request);
    UploadStatus begun =
        concat.isPart()
            ? uploads.beginPart(owner, wanted, metadata)
            : uploads.begin(owner, wanted, metadata);
    created(begun, response);
    if (!hasBytes && begun.request().declaredLength() != 0) {
      return ResponseEntity.status(HttpStatus.CREATED).build();
    }
    ResponseEntity<ArtifactView> received = receive(begun.id(), 0, request, response, hasBytes);
    return ResponseEntity.status(HttpStatus.CREATED).headers(received.getHeaders()).build();
  }

  /** Tells how far an upload has come. */
  @RequestMapping(path = "/{id}", method = RequestMethod.HEAD, headers = TusFields.RESUMABLE)
  @Operation(summary = "Ask how far an upload has come (tus)")
  public ResponseEntity<Void> head(
      @PathVariable String id,
      @Parameter(hidden = true) HttpServletRequest request,
      @Parameter(hidden = true) HttpServletResponse response)
      throws IngestException, StorageException, UploadException {
    speak(request, response);
    reception.requireInScope(id);
    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    try {
      return uploads.status(id).parts().isEmpty()
          ? headOfBytes(id, request)
          : headOfParts(id, request);
    } catch (UploadException.Complete e) {
      IngestRequest complete = e.upload().request();
      return standing(
              complete,
              e.upload().metadata(),
              new TusConcat(e.upload().isPart(), e.upload().parts()),
              OptionalLong.of(complete.declaredLength()))
          .header(EXPIRES, HttpDate.format(e.upload().expiresAt()))
          .build();
    }
  }

  private ResponseEntity<Void> headOfBytes(String id, HttpServletRequest request)
      throws IngestException, StorageException, UploadException {
    UploadStatus status;
    boolean isFull;
    try (UploadSession session = uploads.take(id, () -> {})) {
      long position = session.pause();
      status = session.status();
      isFull = position == status.request().declaredLength();
      if (isFull) {
        // The request that brought the last byte did not get as far.
        session
            .complete()
            .ifPresent(result -> AuditDetails.after(ArtifactView.of(result.artifact())));
      }
    }
    if (isFull && status.isPart()) {
      assembly
          .concatenateWholeOf(id, request)
          .ifPresent(result -> AuditDetails.after(ArtifactView.of(result.artifact())));
    }
    return standing(status, OptionalLong.of(status.position()));
  }

  /** Without an offset, it is not complete: parts are on their way, or are put together. */
  private ResponseEntity<Void> headOfParts(String id, HttpServletRequest request)
      throws IngestException, StorageException, UploadException {
    assembly
        .concatenate(id, request)
        .ifPresent(result -> AuditDetails.after(ArtifactView.of(result.artifact())));
    return standing(uploads.status(id), OptionalLong.empty());
  }

  /** Takes bytes: 204. With the last of them, the artifact is there. */
  @PatchMapping("/{id}")
  @Operation(
      summary = "Send bytes of an upload (tus)",
      description =
          "Upload-Offset is where they belong. With the last byte the artifact is there:"
              + " Content-Location names it, Repr-Digest has its digests, Artifact-Warnings is there"
              + " if it makes a bad update. Repr-Digest of a request"
              + " has digests of the whole, for a client that digests while it sends.")
  public ResponseEntity<ArtifactView> patch(
      @PathVariable String id,
      @Parameter(hidden = true) HttpServletRequest request,
      @Parameter(hidden = true) HttpServletResponse response)
      throws IngestException, StorageException, UploadException {
    if (!TusFields.hasBytes(request)) {
      // RFC 5789, section 2.2.
      response.setHeader("Accept-Patch", TusFields.MEDIA_TYPE + ", " + DraftFields.MEDIA_TYPE);
      if (request.getHeader(TusFields.RESUMABLE) == null) {
        TusFields.requireBytes(request);
      }
    }
    speak(request, response);
    TusFields.requireBytes(request);
    reception.requireInScope(id);
    return receive(id, TusFields.offset(request), request, response, true);
  }

  /** Ends an upload, and forgets its bytes: 204. */
  @DeleteMapping("/{id}")
  @Operation(summary = "End an upload")
  public ResponseEntity<Void> delete(
      @PathVariable String id,
      @Parameter(hidden = true) HttpServletRequest request,
      @Parameter(hidden = true) HttpServletResponse response)
      throws UploadException {
    if (request.getHeader(TusFields.RESUMABLE) != null) {
      // Others speak no tus.
      speak(request, response);
    }
    reception.requireInScope(id);
    uploads.end(id);
    return ResponseEntity.noContent().build();
  }

  /** An upload whose parts are all there is an artifact when this is answered. */
  private ResponseEntity<ArtifactView> createOfParts(
      IngestRequest wanted,
      List<String> parts,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IngestException, StorageException, UploadException {
    for (String part : parts) {
      reception.requireInScope(part);
    }
    UploadStatus begun =
        uploads.beginOfParts(
            CurrentCaller.get().id(), wanted, TusFields.sentMetadata(request), parts);
    created(begun, response);
    assembly.concatenate(begun.id(), request).ifPresent(result -> tellArtifact(result, response));
    return ResponseEntity.status(HttpStatus.CREATED).build();
  }

  private ResponseEntity<ArtifactView> receive(
      String id,
      long offset,
      HttpServletRequest request,
      HttpServletResponse response,
      boolean hasBytes)
      throws IngestException, StorageException, UploadException {
    UploadReception.Received received =
        reception.receive(
            request,
            id,
            new UploadReception.Body(
                offset,
                TusFields.length(request),
                ArtifactUploadController.reprDigests(request),
                TusFields.checksum(request),
                hasBytes,
                UploadReception.Completion.WHEN_FULL,
                _ -> {}));
    UploadStatus status = received.status();
    // The audit has the begin and the end of an upload.
    boolean isChange = request.getMethod().equals("POST");
    if (received.result().isPresent()) {
      isChange = true;
      tellArtifact(received.result().get(), response);
    } else if (status.isPart() && status.position() == status.request().declaredLength()) {
      Optional<IngestResult> made = assembly.concatenateWholeOf(id, request);
      made.ifPresent(result -> AuditDetails.after(ArtifactView.of(result.artifact())));
      isChange |= made.isPresent();
    }
    if (!isChange) {
      AuditDetails.nothingChanged();
    }
    return ResponseEntity.noContent()
        .header(TusFields.OFFSET, String.valueOf(status.position()))
        .header(EXPIRES, HttpDate.format(status.expiresAt()))
        .build();
  }

  private void tellArtifact(IngestResult result, HttpServletResponse response) {
    Artifact artifact = result.artifact();
    ArtifactView view = ArtifactView.of(artifact);
    AuditDetails.after(view);
    response.setHeader(HttpHeaders.CONTENT_LOCATION, URI.create(view.links().self()).toString());
    response.setHeader("Repr-Digest", DigestFields.reprDigest(artifact.digests()));
    response.setHeader(HttpHeaders.ETAG, EntityTag.of(artifact.digests().sha256()).toString());
    List<String> warnings = lint.warnings(artifact.blob());
    if (!warnings.isEmpty()) {
      response.setHeader(WarningsField.NAME, WarningsField.of(warnings));
    }
  }

  private static void created(UploadStatus begun, HttpServletResponse response) {
    AuditDetails.after(UploadView.of(begun));
    response.setHeader(HttpHeaders.LOCATION, PATH + '/' + begun.id());
    response.setHeader(EXPIRES, HttpDate.format(begun.expiresAt()));
  }

  private static void speak(HttpServletRequest request, HttpServletResponse response) {
    response.setHeader(TusFields.RESUMABLE, TusFields.VERSION);
    response.setHeader("Tus-Version", TusFields.VERSION);
    TusFields.requireVersion(request);
  }

  private ResponseEntity<Void> standing(UploadStatus status, OptionalLong position) {
    return standing(
            status.request(),
            uploads.metadata(status.id()),
            new TusConcat(status.isPart(), status.parts()),
            position)
        .header(EXPIRES, HttpDate.format(status.expiresAt()))
        .build();
  }

  private static ResponseEntity.BodyBuilder standing(
      IngestRequest request, String metadata, TusConcat concat, OptionalLong position) {
    ResponseEntity.BodyBuilder answer =
        ResponseEntity.ok()
            .header(
                TusFields.METADATA, metadata.isEmpty() ? TusFields.metadata(request) : metadata);
    concat.field().ifPresent(value -> answer.header(TusConcat.FIELD, value));
    position.ifPresent(value -> answer.header(TusFields.OFFSET, String.valueOf(value)));
    if (request.declaredLength() != IngestRequest.UNKNOWN_LENGTH) {
      return answer.header(TusFields.LENGTH, String.valueOf(request.declaredLength()));
    }
    return concat.parts().isEmpty() ? answer.header(TusFields.DEFER_LENGTH, "1") : answer;
  }
}
