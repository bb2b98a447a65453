package io.artifactserver.rest.api.artifact;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.artifactserver.core.access.Caller;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.upload.UnfinishedUploads;
import io.artifactserver.core.upload.UploadException;
import io.artifactserver.core.upload.UploadSession;
import io.artifactserver.core.upload.UploadStatus;
import io.artifactserver.rest.access.AccessRules;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.http.DigestFields;
import io.artifactserver.rest.http.EntityTag;
import io.artifactserver.rest.http.HttpDate;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.artifactserver.rest.server.engine.Http2Connections;
import io.swagger.v3.oas.annotations.Hidden;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.util.unit.DataSize;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;

/**
 * Uploads over several requests by tus 1.0.0: core, creation, creation-with-upload,
 * creation-defer-length, termination, expiration and checksum. A request for an upload ends an
 * older one that is open, and goes on behind what that one has brought. Thread-safe.
 */
@RestController
@RequestMapping(TusController.PATH)
@Tag(name = "Uploads")
public class TusController {
  static final String PATH = "/api/v1/uploads";

  private static final String EXTENSIONS =
      "creation,creation-with-upload,creation-defer-length,termination,expiration,checksum";
  private static final String EXPIRES = "Upload-Expires";

  private final UnfinishedUploads uploads;
  private final Authenticator authenticator;
  private final DataSize minRate;
  private final long maxLength;

  public TusController(
      UnfinishedUploads uploads, Authenticator authenticator, UploadProperties properties) {
    this.uploads = uploads;
    this.authenticator = authenticator;
    this.minRate = properties.minRate();
    this.maxLength = properties.maxArtifactSize().toBytes();
  }

  /** Tells what of tus is known here: 204. */
  @Hidden
  @RequestMapping(method = RequestMethod.OPTIONS)
  public ResponseEntity<Void> options() {
    return ResponseEntity.noContent()
        .header(TusFields.RESUMABLE, TusFields.VERSION)
        .header("Tus-Version", TusFields.VERSION)
        .header("Tus-Extension", EXTENSIONS)
        .header("Tus-Max-Size", String.valueOf(maxLength))
        .header(
            "Tus-Checksum-Algorithm",
            Arrays.stream(DigestAlgorithm.values())
                .map(DigestAlgorithm::id)
                .collect(Collectors.joining(",")))
        .build();
  }

  /** Every unfinished upload, by id. */
  @GetMapping
  @Operation(summary = "List the unfinished uploads")
  public UploadList list() {
    return new UploadList(uploads.list().stream().map(UploadView::of).toList());
  }

  /** Begins an upload, with its first bytes or without: 201. */
  @PostMapping
  @Operation(
      summary = "Begin an upload (tus)",
      description =
          "Upload-Metadata has repository and path, and may have sha256 and mediaType. The answer's"
              + " Location takes the bytes with PATCH. A sha256 is compared with what the path has.")
  public ResponseEntity<ArtifactView> create(
      @Parameter(hidden = true) HttpServletRequest request,
      @Parameter(hidden = true) HttpServletResponse response)
      throws IngestException, StorageException, UploadException {
    speak(request, response);
    IngestRequest wanted = TusFields.request(request);
    Caller caller = CurrentCaller.get();
    requireInScope(caller, wanted);
    boolean hasBytes = TusFields.hasBytes(request);
    if (!hasBytes && request.getContentLengthLong() > 0) {
      TusFields.requireBytes(request);
    }
    UploadStatus begun = uploads.begin(caller.id(), wanted);
    AuditDetails.after(UploadView.of(begun));
    response.setHeader(HttpHeaders.LOCATION, PATH + '/' + begun.id());
    response.setHeader(EXPIRES, HttpDate.format(begun.expiresAt()));
    if (!hasBytes && begun.request().declaredLength() != 0) {
      return ResponseEntity.status(HttpStatus.CREATED).build();
    }
    ResponseEntity<ArtifactView> received = receive(begun.id(), 0, request, hasBytes);
    return ResponseEntity.status(HttpStatus.CREATED).headers(received.getHeaders()).build();
  }

  /** Tells how far an upload has come. */
  @RequestMapping(path = "/{id}", method = RequestMethod.HEAD)
  @Operation(summary = "Ask how far an upload has come (tus)")
  public ResponseEntity<Void> head(
      @PathVariable String id,
      @Parameter(hidden = true) HttpServletRequest request,
      @Parameter(hidden = true) HttpServletResponse response)
      throws IngestException, StorageException, UploadException {
    speak(request, response);
    requireInScope(id);
    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    try (UploadSession session = uploads.take(id, () -> {})) {
      long position = session.pause();
      UploadStatus status = session.status();
      if (position == status.request().declaredLength()) {
        // The request that brought the last byte did not get as far.
        var _ = session.complete();
      }
      return standing(status.request(), position)
          .header(EXPIRES, HttpDate.format(status.expiresAt()))
          .build();
    } catch (UploadException.Complete e) {
      IngestRequest complete = e.upload().request();
      return standing(complete, complete.declaredLength())
          .header(EXPIRES, HttpDate.format(e.upload().expiresAt()))
          .build();
    }
  }

  /** Takes bytes: 204. With the last of them, the artifact is there. */
  @PatchMapping("/{id}")
  @Operation(
      summary = "Send bytes of an upload (tus)",
      description =
          "Upload-Offset is where they belong. With the last byte the artifact is there:"
              + " Content-Location names it, Repr-Digest has its digests.")
  public ResponseEntity<ArtifactView> patch(
      @PathVariable String id,
      @Parameter(hidden = true) HttpServletRequest request,
      @Parameter(hidden = true) HttpServletResponse response)
      throws IngestException, StorageException, UploadException {
    speak(request, response);
    TusFields.requireBytes(request);
    requireInScope(id);
    ResponseEntity<ArtifactView> answer = receive(id, TusFields.offset(request), request, true);
    if (!answer.getHeaders().containsHeader(HttpHeaders.CONTENT_LOCATION)) {
      // Of an upload, its begin and its end are in the audit.
      AuditDetails.nothingChanged();
    }
    return answer;
  }

  /** Ends an upload, and forgets its bytes: 204. */
  @DeleteMapping("/{id}")
  @Operation(summary = "End an upload (tus)")
  public ResponseEntity<Void> delete(
      @PathVariable String id,
      @Parameter(hidden = true) HttpServletRequest request,
      @Parameter(hidden = true) HttpServletResponse response)
      throws UploadException {
    if (request.getHeader(TusFields.RESUMABLE) != null) {
      // An admin who tidies up speaks no tus.
      speak(request, response);
    }
    requireInScope(id);
    uploads.end(id);
    return ResponseEntity.noContent().build();
  }

  private ResponseEntity<ArtifactView> receive(
      String id, long offset, HttpServletRequest request, boolean hasBytes)
      throws IngestException, StorageException, UploadException {
    Optional<Digest> checksum = TusFields.checksum(request);
    OptionalLong length = TusFields.length(request);
    Request jetty = ServletContextRequest.getServletContextRequest(request).getWrapped();
    try (OpenRequest open = new OpenRequest(jetty);
        UploadSession session = uploads.take(id, open::end)) {
      session.requirePosition(offset);
      if (length.isPresent()) {
        session.declare(length.getAsLong());
      }
      requireFits(session.status(), request);
      if (hasBytes) {
        Http2Connections.acceptBody(jetty);
        append(session, checksum, request);
      }
      UploadStatus status = session.status();
      if (status.position() == status.request().declaredLength()) {
        Artifact artifact = session.complete().artifact();
        ArtifactView view = ArtifactView.of(artifact);
        AuditDetails.after(view);
        return progress(status.position(), status.expiresAt())
            .header(HttpHeaders.CONTENT_LOCATION, URI.create(view.links().self()).toString())
            .header("Repr-Digest", DigestFields.reprDigest(artifact.digests()))
            .eTag(EntityTag.of(artifact.digests().sha256()).toString())
            .build();
      }
      return progress(session.pause(), session.status().expiresAt()).build();
    }
  }

  /** With a checksum, the bytes are kept together or not at all. */
  private void append(UploadSession session, Optional<Digest> checksum, HttpServletRequest request)
      throws IngestException, StorageException, UploadException {
    Credentials credentials =
        Credentials.of(Optional.ofNullable(request.getHeader("Authorization")));
    if (checksum.isPresent()) {
      session.mark();
    }
    try (InputStream body =
        new RequestBodyStream(
            request::getInputStream,
            minRate,
            () -> !authenticator.isTakenAway(credentials),
            System::nanoTime)) {
      UploadBody received = new UploadBody(session, checksum);
      received.receive(body);
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      UploadStatus status = session.status();
      throw new IngestException.SourceFailed(status.request().id(), status.position(), e);
    }
  }

  /** A body that is too long is refused before its first byte. */
  private static void requireFits(UploadStatus status, HttpServletRequest request)
      throws UploadException {
    long length = status.request().declaredLength();
    long end = status.position() + Math.max(0, request.getContentLengthLong());
    if (length != IngestRequest.UNKNOWN_LENGTH && end > length) {
      throw new UploadException.WrongLength(status.id(), length, end);
    }
  }

  private void requireInScope(String id) throws UploadException.NotFound {
    requireInScope(
        CurrentCaller.get(),
        uploads.request(id).orElseThrow(() -> new UploadException.NotFound(id)));
  }

  private static void requireInScope(Caller caller, IngestRequest request) {
    if (!caller.mayRead(request.id())) {
      throw new ProblemException(Problems.forbidden(AccessRules.OUT_OF_SCOPE));
    }
  }

  private static void speak(HttpServletRequest request, HttpServletResponse response) {
    response.setHeader(TusFields.RESUMABLE, TusFields.VERSION);
    response.setHeader("Tus-Version", TusFields.VERSION);
    TusFields.requireVersion(request);
  }

  private static ResponseEntity.HeadersBuilder<?> progress(long position, Instant expiresAt) {
    return ResponseEntity.noContent()
        .header(TusFields.OFFSET, String.valueOf(position))
        .header(EXPIRES, HttpDate.format(expiresAt));
  }

  private static ResponseEntity.BodyBuilder standing(IngestRequest request, long position) {
    ResponseEntity.BodyBuilder answer =
        ResponseEntity.ok()
            .header(TusFields.OFFSET, String.valueOf(position))
            .header(TusFields.METADATA, TusFields.metadata(request));
    return request.declaredLength() == IngestRequest.UNKNOWN_LENGTH
        ? answer.header(TusFields.DEFER_LENGTH, "1")
        : answer.header(TusFields.LENGTH, String.valueOf(request.declaredLength()));
  }

  /**
   * A request that may wait for its body. Thread-safe: closed before the request is over, because a
   * failure that came later would hit the next one on the connection.
   */
  private static final class OpenRequest implements AutoCloseable {
    private final Request request;
    private boolean isOver;

    OpenRequest(Request request) {
      this.request = request;
    }

    /** Ends the wait. */
    synchronized void end() {
      if (!isOver) {
        request.fail(new EofException("A newer request goes on with the upload"));
      }
    }

    @Override
    public synchronized void close() {
      isOver = true;
    }
  }

  /**
   * An unfinished upload.
   *
   * @param id the last part of its address
   * @param owner id of the caller that began it
   * @param length in bytes; absent if it is not known yet
   * @param position bytes that are there
   * @param isOpen whether a request brings bytes
   * @param expires when it is removed, unless bytes come before
   */
  public record UploadView(
      String id,
      String owner,
      String repository,
      String path,
      String mediaType,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long length,
      long position,
      @JsonProperty("open") boolean isOpen,
      Instant expires) {
    static UploadView of(UploadStatus status) {
      IngestRequest request = status.request();
      return new UploadView(
          status.id(),
          status.owner(),
          request.id().repository(),
          request.id().path(),
          request.mediaType(),
          request.declaredLength() == IngestRequest.UNKNOWN_LENGTH
              ? null
              : request.declaredLength(),
          status.position(),
          status.isOpen(),
          status.expiresAt());
    }
  }

  /**
   * The unfinished uploads.
   *
   * @param uploads by id
   */
  public record UploadList(List<UploadView> uploads) {}
}
