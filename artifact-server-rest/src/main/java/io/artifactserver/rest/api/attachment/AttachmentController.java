package io.artifactserver.rest.api.attachment;

import io.artifactserver.core.attachment.Attachment;
import io.artifactserver.core.attachment.AttachmentKind;
import io.artifactserver.core.attachment.AttachmentStore.Addition;
import io.artifactserver.core.attachment.AttachmentStore.Removal;
import io.artifactserver.core.attachment.Attachments;
import io.artifactserver.core.attachment.BadDocumentException;
import io.artifactserver.core.attachment.ReleaseSignatures;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Hold;
import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.release.ReleaseException;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.api.artifact.AnswersBelow;
import io.artifactserver.rest.api.artifact.MediaTypes;
import io.artifactserver.rest.api.artifact.NamesAnArtifact;
import io.artifactserver.rest.api.artifact.RequestBodyStream;
import io.artifactserver.rest.api.artifact.UploadProperties;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.http.BelowArtifact;
import io.artifactserver.rest.http.EntityTag;
import io.artifactserver.rest.problem.AttachmentProblems;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.artifactserver.rest.server.engine.Http2Connections;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.enums.ParameterIn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.parameters.RequestBody;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Fields;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Documents about artifacts: SBOMs, VEX, signatures and others. Thread-safe. */
@RestController
@RequestMapping("/api/v1/repositories/{repository}/artifacts/{*path}")
@Tag(name = "Attachments")
public record AttachmentController(
    ArtifactCatalog catalog,
    Attachments attachments,
    ReleaseSignatures signatures,
    Authenticator authenticator,
    UploadProperties uploads) {
  private static final String KINDS = "sbom, vex, signature, provenance or notes";
  private static final String DIGEST = "digest";

  /** Attaches the body to an artifact: 201; 200 if the artifact had it already. */
  @PostMapping
  @AnswersBelow(BelowArtifact.ATTACH)
  @Operation(
      summary = "Attach a document to an artifact",
      description =
          "The raw bytes are the body. It belongs to the bytes that the path has now. An SBOM is"
              + " CycloneDX in JSON or XML, or SPDX in JSON; a VEX is CycloneDX, or OpenVEX or CSAF in"
              + " JSON: a broken one is a 422 that names the line. SPDX 3 is stored with \"read\":"
              + " false. A signature of minisign, or in CMS beside the artifact, is verified; all"
              + " else is stored as it is.",
      requestBody =
          @RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/octet-stream",
                      schema = @Schema(type = "string", format = "binary"))))
  @Parameter(name = "kind", in = ParameterIn.QUERY, required = true, description = KINDS)
  @Parameter(name = "label", in = ParameterIn.QUERY, description = "key=value; may be repeated")
  @NamesAnArtifact
  public ResponseEntity<AttachmentView> attach(
      @Parameter(hidden = true) ArtifactId id, @Parameter(hidden = true) HttpServletRequest request)
      throws BadDocumentException, StorageException, IOException {
    Fields query = query(request);
    AttachmentKind kind =
        AttachmentKind.of(Objects.requireNonNullElse(query.getValue("kind"), ""))
            .orElseThrow(() -> AttachmentProblems.malformed("\"kind\" is " + KINDS + "."));
    Labels labels = labels(query.getValuesOrEmpty("label"));
    String mediaType = mediaType(id, request);
    Artifact artifact = required(id);
    byte[] content = content(request, kind);
    return switch (attachments.attach(artifact, kind, mediaType, labels, content)) {
      case Addition.Added(Attachment added) -> {
        AttachmentView view = view(artifact, added);
        AuditDetails.after(view);
        yield ResponseEntity.created(URI.create(view.self())).body(view);
      }
      case Addition.Present(Attachment present) when present.kind() == kind ->
          ResponseEntity.ok(view(artifact, present));
      case Addition.Present(Attachment present) -> throw AttachmentProblems.otherKind(id, present);
      case Addition.NoArtifact _ -> throw notFound(id);
      case Addition.TooMany _ ->
          throw AttachmentProblems.tooMany(id, attachments.bounds().maxCount());
      case Addition.Full _ -> throw AttachmentProblems.full(attachments.bounds().maxTotal());
    };
  }

  /** The documents about an artifact, the oldest first. */
  @GetMapping
  @AnswersBelow(BelowArtifact.ATTACHMENTS)
  @Operation(
      summary = "List the documents about an artifact",
      description = "The oldest first. Link fields have their addresses, too.")
  @NamesAnArtifact
  public ResponseEntity<AttachmentList> list(@Parameter(hidden = true) ArtifactId id) {
    Artifact artifact = required(id);
    Map<Digest, String> signers = signatures.signers(artifact);
    List<AttachmentView> views =
        attachments.list(artifact).stream()
            .map(each -> AttachmentView.of(artifact, each, signers))
            .toList();
    ResponseEntity.BodyBuilder response = ResponseEntity.ok();
    views.forEach(view -> response.header(HttpHeaders.LINK, AttachmentView.link(view)));
    return response.body(new AttachmentList(views));
  }

  /** The bytes of a document. */
  @GetMapping
  @AnswersBelow(BelowArtifact.ATTACHMENT)
  @Operation(summary = "Get a document about an artifact", description = "Its bytes never change.")
  @Parameter(name = DIGEST, in = ParameterIn.PATH, description = "Its SHA-256")
  @NamesAnArtifact
  public ResponseEntity<byte[]> get(
      @Parameter(hidden = true) ArtifactId id,
      @Parameter(hidden = true) HttpServletRequest request) {
    return content(id, named(request));
  }

  /**
   * Returns the bytes of a document, for saving: no browser shows them.
   *
   * @throws ProblemException with 404 if there is no such artifact, or document about it
   */
  public ResponseEntity<byte[]> content(ArtifactId id, Digest sha256) {
    Artifact artifact = required(id);
    Attachment attachment = attached(artifact, sha256);
    byte[] content =
        attachments
            .content(artifact, attachment.sha256())
            .orElseThrow(() -> AttachmentProblems.notFound(id, attachment.sha256()));
    return ResponseEntity.ok()
        .contentType(MediaType.parseMediaType(attachment.mediaType()))
        .eTag(EntityTag.of(attachment.sha256()).toString())
        // A browser that has signed in must not run what a publisher calls HTML.
        .header(HttpHeaders.CONTENT_DISPOSITION, "attachment")
        .header("Content-Security-Policy", "sandbox")
        .body(content);
  }

  /** Deletes a document: 204. */
  @DeleteMapping
  @AnswersBelow(BelowArtifact.ATTACHMENT)
  @Operation(
      summary = "Delete a document about an artifact",
      description =
          "409 while a hold keeps the artifact, and for a signature of what a channel serves, if the"
              + " repository wants one.")
  @Parameter(name = DIGEST, in = ParameterIn.PATH, description = "Its SHA-256")
  @NamesAnArtifact
  public ResponseEntity<Void> delete(
      @Parameter(hidden = true) ArtifactId id, @Parameter(hidden = true) HttpServletRequest request)
      throws ReleaseException.Sealed {
    Artifact artifact = required(id);
    Attachment attachment = attached(artifact, named(request));
    AuditDetails.before(view(artifact, attachment));
    return switch (attachments.remove(artifact, attachment)) {
      case Removal.Removed _ -> ResponseEntity.noContent().build();
      case Removal.Absent _ -> throw AttachmentProblems.notFound(id, attachment.sha256());
      case Removal.Held(Hold hold) -> throw AttachmentProblems.held(id, hold);
    };
  }

  private AttachmentView view(Artifact artifact, Attachment attachment) {
    return AttachmentView.of(artifact, attachment, signatures.signers(artifact));
  }

  /** The digest of the attachment that a request names. */
  private static Digest named(HttpServletRequest request) {
    String path = request.getRequestURI();
    return new Digest(DigestAlgorithm.SHA_256, path.substring(path.lastIndexOf('/') + 1));
  }

  private Attachment attached(Artifact artifact, Digest sha256) {
    return attachments
        .find(artifact, sha256)
        .orElseThrow(() -> AttachmentProblems.notFound(artifact.id(), sha256));
  }

  private byte[] content(HttpServletRequest request, AttachmentKind kind) throws IOException {
    int max = attachments.bounds().maxLength(kind);
    if (request.getContentLengthLong() > max) {
      throw AttachmentProblems.tooLarge(kind, max);
    }
    Http2Connections.acceptBody(
        ServletContextRequest.getServletContextRequest(request).getWrapped());
    Credentials credentials =
        Credentials.of(Optional.ofNullable(request.getHeader(HttpHeaders.AUTHORIZATION)));
    try (InputStream body =
        new RequestBodyStream(
            request::getInputStream,
            uploads.minRate(),
            () -> !authenticator.isTakenAway(credentials),
            System::nanoTime)) {
      byte[] content = body.readNBytes(max + 1);
      if (content.length > max) {
        throw AttachmentProblems.tooLarge(kind, max);
      }
      if (content.length == 0) {
        throw AttachmentProblems.malformed("The body is the document; it is empty.");
      }
      return content;
    }
  }

  /** The framework would read a form's fields from the body. */
  private static Fields query(HttpServletRequest request) {
    return Request.extractQueryParameters(
        ServletContextRequest.getServletContextRequest(request).getWrapped());
  }

  private static String mediaType(ArtifactId id, HttpServletRequest request) {
    String type = Objects.requireNonNullElse(request.getContentType(), "");
    // curl --data-binary sends it when nobody chose a type; no document is a form.
    return type.isBlank() || type.startsWith(MediaType.APPLICATION_FORM_URLENCODED_VALUE)
        ? MediaType.APPLICATION_OCTET_STREAM_VALUE
        : MediaTypes.checked(id, type, HttpHeaders.CONTENT_TYPE);
  }

  private Artifact required(ArtifactId id) {
    return catalog.findCurrent(id).orElseThrow(() -> notFound(id));
  }

  private static ProblemException notFound(ArtifactId id) {
    return new ProblemException(Problems.artifactNotFound(id));
  }

  private static Labels labels(List<String> sent) {
    Labels labels = Labels.parse(sent);
    if (labels.values().size() != sent.size()) {
      throw AttachmentProblems.malformed("\"label\" is key=value, each key once.");
    }
    return labels;
  }

  /**
   * Documents about an artifact.
   *
   * @param attachments the oldest first
   */
  public record AttachmentList(List<AttachmentView> attachments) {}
}
