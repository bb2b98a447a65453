package io.artifactserver.rest.api.artifact;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.ingest.ArtifactIngest;
import io.artifactserver.core.ingest.IncomingArtifact;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.IngestResult;
import io.artifactserver.core.lint.ArtifactLint;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.http.DigestFields;
import io.artifactserver.rest.http.EntityTag;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.server.engine.Http2Connections;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.media.SchemaProperty;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RestController;

/** Takes artifacts in: the body is the bytes, streamed. Thread-safe. */
@RestController
@Tag(name = "Artifacts")
public record ArtifactUploadController(
    ArtifactIngest ingest,
    ArtifactCatalog catalog,
    Authenticator authenticator,
    UploadProperties properties,
    ArtifactLint lint) {
  /**
   * Stores the body under a path that has no artifact yet.
   *
   * @return 201 for a new artifact; 200 if the path had the same bytes already
   */
  @PutMapping("/api/v1/repositories/{repository}/artifacts/{*path}")
  @Operation(
      summary = "Upload an artifact",
      description =
          "The raw bytes are the body. Repr-Digest or Content-Digest (RFC 9530), when sent, is"
              + " checked. Artifacts never change: other bytes on a path that has an artifact, or"
              + " had one, are a conflict. A mutable repository takes them after a deletion.",
      requestBody =
          @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/octet-stream",
                      schema = @Schema(type = "string", format = "binary"))))
  @NamesAnArtifact
  public ResponseEntity<ArtifactView> put(
      @Parameter(hidden = true) ArtifactId id, @Parameter(hidden = true) HttpServletRequest request)
      throws IngestException, StorageException, IOException {
    requireWhole(request);
    IngestRequest wanted = ingestRequest(id, request, request.getContentLengthLong(), true);
    return receive(id, request, body -> ingest.ingest(wanted, body));
  }

  /**
   * Stores a form's file, as {@link #put} stores a body.
   *
   * @throws HttpRequestMethodNotSupportedException if the body is no form
   */
  @PostMapping("/api/v1/repositories/{repository}/artifacts/{*path}")
  @Operation(
      summary = "Upload an artifact as a form",
      description =
          "As PUT, for browsers and curl -F. With Upload-Draft-Interop-Version: 8 or 9 and"
              + " Upload-Complete, any body begins an upload of"
              + " draft-ietf-httpbis-resumable-upload-12 instead: a 104 tells the address where it"
              + " goes on.",
      requestBody =
          @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = MediaType.MULTIPART_FORM_DATA_VALUE,
                      schemaProperties = {
                        @SchemaProperty(
                            name = "file",
                            schema = @Schema(type = "string", format = "binary")),
                        @SchemaProperty(name = "sha256", schema = @Schema(type = "string")),
                        @SchemaProperty(name = "mediaType", schema = @Schema(type = "string"))
                      })))
  @NamesAnArtifact
  public ResponseEntity<ArtifactView> post(
      @Parameter(hidden = true) ArtifactId id, @Parameter(hidden = true) HttpServletRequest request)
      throws IngestException,
          StorageException,
          IOException,
          HttpRequestMethodNotSupportedException {
    String contentType = request.getContentType();
    if (contentType == null || !FormFile.isForm(contentType)) {
      throw new HttpRequestMethodNotSupportedException(
          request.getMethod(), List.of("GET", "HEAD", "PUT", "DELETE"));
    }
    requireWhole(request);
    IngestRequest wanted = ingestRequest(id, request, IngestRequest.UNKNOWN_LENGTH, false);
    return receive(
        id,
        request,
        body -> {
          FormFile file = open(id, contentType, body);
          return ingest.ingest(
              new IncomingArtifact(file.describe(wanted), file, () -> file.describe(wanted)));
        });
  }

  private static FormFile open(ArtifactId id, String contentType, InputStream body)
      throws IngestException {
    try {
      return FormFile.open(contentType, body);
    } catch (IOException e) {
      throw new IngestException.SourceFailed(id, 0, e);
    }
  }

  private static void requireWhole(HttpServletRequest request) {
    if (DraftFields.isComplete(request).filter(isComplete -> !isComplete).isPresent()) {
      throw new ProblemException(
          HttpStatus.BAD_REQUEST,
          "Version of resumable uploads",
          "This is a part of an upload by another version of the draft than this server speaks:"
              + " send Upload-Draft-Interop-Version: 8 or 9, or all bytes.");
    }
  }

  private ResponseEntity<ArtifactView> receive(
      ArtifactId id, HttpServletRequest request, Reception reception)
      throws IngestException, StorageException, IOException {
    boolean mustBeAbsent = "*".equals(request.getHeader("If-None-Match"));
    if (mustBeAbsent && catalog.findCurrent(id).isPresent()) {
      throw taken(id);
    }
    Http2Connections.acceptBody(
        ServletContextRequest.getServletContextRequest(request).getWrapped());
    Credentials credentials =
        Credentials.of(Optional.ofNullable(request.getHeader("Authorization")));
    try (InputStream body =
        new RequestBodyStream(
            request::getInputStream,
            properties.minRate(),
            () -> !authenticator.isTakenAway(credentials),
            System::nanoTime)) {
      IngestResult result = reception.take(body);
      if (mustBeAbsent && result instanceof IngestResult.AlreadyPresent) {
        throw taken(id);
      }
      return respond(result);
    } catch (IngestException.PathTaken e) {
      if (mustBeAbsent) {
        throw taken(id);
      }
      throw e;
    }
  }

  /**
   * Describes an upload, by the head of its first request.
   *
   * @param length in bytes, or {@link IngestRequest#UNKNOWN_LENGTH}
   * @param isWhole whether the body has all bytes
   */
  static IngestRequest ingestRequest(
      ArtifactId id, HttpServletRequest request, long length, boolean isWhole) {
    if (request.getHeader("Content-Range") != null) {
      // RFC 9110, section 14.5: a server that ignored it would store a part as the whole.
      throw new ProblemException(
          HttpStatus.BAD_REQUEST,
          "Partial upload",
          "An artifact is uploaded whole: send all bytes, without Content-Range.");
    }
    String coding = request.getHeader("Content-Encoding");
    if (coding != null && !coding.equalsIgnoreCase("identity")) {
      throw new ProblemException(
          HttpStatus.UNSUPPORTED_MEDIA_TYPE,
          "Content coding",
          "An artifact is stored as it is sent: send it without Content-Encoding.");
    }
    List<Digest> expected = new ArrayList<>(reprDigests(request));
    if (isWhole) {
      expected.addAll(digests(request, "Content-Digest"));
    }
    return new IngestRequest(id, mediaType(id, request), length, expected);
  }

  static ProblemException taken(ArtifactId id) {
    return new ProblemException(
        HttpStatus.PRECONDITION_FAILED,
        "Path taken",
        "%s already exists, and If-None-Match: * allows only a new one.".formatted(id));
  }

  /** The digests that the whole artifact has, as far as the request says them. */
  static List<Digest> reprDigests(HttpServletRequest request) {
    return digests(request, "Repr-Digest");
  }

  /** A digest of the body, if the request has one; of several the strongest. */
  static Optional<Digest> contentDigest(HttpServletRequest request) {
    return digests(request, "Content-Digest").stream()
        .max(Comparator.comparingInt(digest -> digest.algorithm().length()));
  }

  private static List<Digest> digests(HttpServletRequest request, String name) {
    List<Digest> digests = new ArrayList<>();
    for (String value : Collections.list(request.getHeaders(name))) {
      try {
        digests.addAll(DigestFields.parse(value));
      } catch (IllegalArgumentException e) {
        throw new ProblemException(
            HttpStatus.BAD_REQUEST, "Malformed " + name, e.getMessage() + '.');
      }
    }
    return digests;
  }

  private static String mediaType(ArtifactId id, HttpServletRequest request) {
    String contentType = Optional.ofNullable(request.getContentType()).orElse("");
    // curl --data-binary sends it when nobody chose a type; no artifact is a form.
    return MediaTypes.checked(
        id,
        contentType.startsWith(MediaType.APPLICATION_FORM_URLENCODED_VALUE) ? "" : contentType,
        "Content-Type");
  }

  ResponseEntity<ArtifactView> respond(IngestResult result) {
    Artifact artifact = result.artifact();
    ArtifactView view = ArtifactView.of(artifact, lint.warnings(artifact.blob()));
    ResponseEntity.BodyBuilder response =
        switch (result) {
          case IngestResult.Created _ -> {
            AuditDetails.after(ArtifactView.of(artifact));
            yield ResponseEntity.created(URI.create(view.links().self()));
          }
          case IngestResult.AlreadyPresent _ -> ResponseEntity.ok();
        };
    return response
        .eTag(EntityTag.of(artifact.digests().sha256()).toString())
        .header("Repr-Digest", DigestFields.reprDigest(artifact.digests()))
        .body(view);
  }

  /** Makes the body of a request an artifact. */
  @FunctionalInterface
  private interface Reception {
    IngestResult take(InputStream body) throws IngestException, StorageException;
  }
}
