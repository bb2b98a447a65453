package io.artifactserver.rest.api.fetch;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.fetch.FetchStatus;
import io.artifactserver.core.fetch.Fetches;
import io.artifactserver.core.fetch.TooManyFetchesException;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.rest.access.AccessRules;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.api.artifact.MediaTypes;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Uploads by reference: the server fetches the bytes itself. Thread-safe. */
@RestController
@RequestMapping(FetchController.PATH)
@Tag(name = "Uploads")
public record FetchController(
    Fetches fetches, FetchProperties properties, Authenticator authenticator) {
  static final String PATH = "/api/v1/fetches";
  private static final int MAX_URL_LENGTH = 2048;

  /** Begins a fetch: 202. */
  @PostMapping
  @Operation(
      summary = "Upload an artifact by its address elsewhere",
      description =
          "The server fetches the file at \"url\", and makes it an artifact if it has the SHA-256."
              + " The answer's Location tells how far it is. The host must be named in"
              + " artifact-server.fetch.hosts.")
  public ResponseEntity<FetchView> begin(
      @Valid @RequestBody NewFetch request,
      @Parameter(hidden = true) @RequestHeader(name = "Authorization", required = false)
          @Nullable String authorization)
      throws IngestException {
    ArtifactId artifact = new ArtifactId(text(request.repository()), text(request.path()));
    Caller caller = CurrentCaller.get();
    if (!caller.mayRead(artifact)) {
      throw new ProblemException(Problems.forbidden(AccessRules.OUT_OF_SCOPE));
    }
    String type = Objects.requireNonNullElse(request.mediaType(), "");
    IngestRequest wanted =
        new IngestRequest(
            artifact,
            MediaTypes.checked(artifact, type, "mediaType"),
            IngestRequest.UNKNOWN_LENGTH,
            List.of(sha256(text(request.sha256()))));
    Credentials credentials = Credentials.of(Optional.ofNullable(authorization));
    try {
      FetchView view =
          FetchView.of(
              fetches.begin(
                  caller,
                  url(text(request.url())),
                  wanted,
                  () -> !authenticator.isTakenAway(credentials)));
      AuditDetails.after(view);
      return ResponseEntity.accepted()
          .header(HttpHeaders.LOCATION, PATH + '/' + view.id())
          .body(view);
    } catch (TooManyFetchesException e) {
      throw new ProblemException(
          HttpStatus.TOO_MANY_REQUESTS,
          "Too many fetches",
          e.getMessage() + ". Wait for one, or end one with DELETE " + PATH + "/{id}.");
    }
  }

  /** The caller's fetches; an admin sees all of them. */
  @GetMapping
  @Operation(summary = "List the fetches that you began", description = "An admin sees all.")
  public FetchView.Page list() {
    Caller caller = CurrentCaller.get();
    return new FetchView.Page(
        fetches.list().stream().filter(each -> maySee(caller, each)).map(FetchView::of).toList());
  }

  /** Tells how far a fetch is. */
  @GetMapping("/{id}")
  @Operation(summary = "Ask how far a fetch is")
  public FetchView get(@PathVariable String id) {
    return FetchView.of(required(id));
  }

  /** Ends a fetch, and forgets it: 204. */
  @DeleteMapping("/{id}")
  @Operation(summary = "End a fetch, and forget it")
  public ResponseEntity<Void> delete(@PathVariable String id) {
    FetchStatus status = required(id);
    AuditDetails.before(FetchView.of(status));
    fetches.end(id);
    return ResponseEntity.noContent().build();
  }

  private FetchStatus required(String id) {
    Caller caller = CurrentCaller.get();
    return fetches
        .find(id)
        .filter(status -> maySee(caller, status))
        .orElseThrow(() ->
            new ProblemException(
                HttpStatus.NOT_FOUND,
                "No such fetch",
                "You have no fetch \"%s\": it was ended, it is long over, or the server was started again. GET %s lists yours."
                    .formatted(id, PATH)));
  }

  private static boolean maySee(Caller caller, FetchStatus status) {
    return caller.role() == Role.ADMIN || status.owner().id().equals(caller.id());
  }

  private URI url(String text) {
    URI url;
    try {
      url = new URI(text);
    } catch (URISyntaxException e) {
      throw malformed("\"url\" is no address: " + e.getReason() + '.');
    }
    HttpsFiles.fault(url)
        .ifPresent(fault -> {
          throw malformed("\"url\" " + fault + '.');
        });
    if (!properties.lists(url.getHost(), url.getPort())) {
      throw new ProblemException(
          HttpStatus.FORBIDDEN,
          "Host not allowed",
          "Nothing is fetched from %s. An operator may name it in artifact-server.fetch.hosts."
              .formatted(url.getAuthority()));
    }
    return URI.create(url.toASCIIString());
  }

  private static Digest sha256(String hex) {
    try {
      return new Digest(DigestAlgorithm.SHA_256, hex.toLowerCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw malformed("\"sha256\" is 64 hexadecimal digits.");
    }
  }

  private static ProblemException malformed(String detail) {
    return new ProblemException(HttpStatus.BAD_REQUEST, "Invalid fetch", detail);
  }

  /** The property was validated. */
  private static String text(@Nullable String value) {
    return Objects.requireNonNull(value);
  }

  /**
   * A file to fetch.
   *
   * @param path of the artifact, not encoded
   * @param url of the file, https
   * @param sha256 that the file must have, hexadecimal
   * @param mediaType of the artifact; by the path's suffix if absent
   */
  public record NewFetch(
      @NotBlank @Nullable String repository,
      @NotBlank @Nullable String path,
      @NotBlank @Size(max = MAX_URL_LENGTH) @Nullable String url,
      @NotBlank @Nullable String sha256,
      @Nullable String mediaType) {}
}
