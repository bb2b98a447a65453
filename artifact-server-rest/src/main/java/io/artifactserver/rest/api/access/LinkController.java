package io.artifactserver.rest.api.access;

import io.artifactserver.core.access.LinkKey;
import io.artifactserver.core.access.LinkKeys;
import io.artifactserver.core.access.LinkTerms;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.release.Channel;
import io.artifactserver.rest.access.AccessRules;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.access.link.Expiry;
import io.artifactserver.rest.access.link.Links;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Signed links and their keys. Thread-safe. */
@RestController
@RequestMapping("/api/v1/links")
@Tag(name = "Signed links")
public record LinkController(Links links, ArtifactCatalog catalog, InstantSource clock) {
  /** Makes a link: 201. */
  @PostMapping
  @Operation(
      summary = "Sign a link",
      description =
          "The link downloads one artifact without credentials until it expires. Anybody who has it may"
              + " use it. \"expires\" is "
              + Expiry.FORMS
              + ".")
  public ResponseEntity<LinkView> create(@Valid @RequestBody NewLink request) {
    ArtifactId artifact = new ArtifactId(text(request.repository()), text(request.path()));
    if (Channel.isAddress(artifact.path())) {
      throw refused(
          "A link opens an artifact, and \"path\" begins with '@', as the addresses of channels do:"
              + " name the artifact in its release.");
    }
    if (!CurrentCaller.get().mayRead(artifact)) {
      throw new ProblemException(Problems.forbidden(AccessRules.OUT_OF_SCOPE));
    }
    if (catalog.repository(artifact.repository()).isEmpty()) {
      throw new ProblemException(Problems.repositoryNotFound(artifact.repository()));
    }
    LinkTerms terms = terms(artifact, request);
    if (terms.expires() <= clock.instant().getEpochSecond()) {
      throw refused("\"expires\" is in the past.");
    }
    if (links.isTooLong(terms)) {
      throw refused("\"expires\" is further ahead than artifact-server.links.max-expiry allows.");
    }
    // The terms, not the link: a reader of the audit must not be able to use it.
    AuditDetails.after(request);
    return ResponseEntity.status(HttpStatus.CREATED)
        .header(HttpHeaders.CACHE_CONTROL, "no-store")
        .body(new LinkView(links.url(terms), Instant.ofEpochSecond(terms.expires())));
  }

  /** The keys, without their secrets. */
  @GetMapping("/keys")
  @Operation(summary = "List the keys of signed links")
  public KeyList keys() {
    return KeyList.of(links.keys());
  }

  /** Adds a key, which signs from now on: 201. */
  @PostMapping("/keys")
  @Operation(
      summary = "Rotate the keys of signed links",
      description =
          "The new key signs from now on. Links of the others stay good until these are deleted.")
  public ResponseEntity<KeyList> rotate() throws IOException {
    if (links.keys().keys().size() >= LinkKeys.MAX) {
      throw new ProblemException(
          HttpStatus.CONFLICT,
          "Too many keys",
          "There are already %d keys. Delete one that no link needs any more."
              .formatted(LinkKeys.MAX));
    }
    AuditDetails.before(KeyList.of(links.keys()));
    KeyList after = KeyList.of(links.rotate());
    AuditDetails.after(after);
    return ResponseEntity.status(HttpStatus.CREATED).body(after);
  }

  /** Deletes a key, and so revokes its links: 204. */
  @DeleteMapping("/keys/{id}")
  @Operation(summary = "Revoke every link that a key signed")
  public ResponseEntity<Void> revoke(@PathVariable String id) throws IOException {
    if (links.keys().key(id).isEmpty()) {
      throw new ProblemException(
          HttpStatus.NOT_FOUND,
          "No such key",
          "There is no key with the id \"%s\". GET /api/v1/links/keys lists them.".formatted(id));
    }
    AuditDetails.before(KeyList.of(links.keys()));
    AuditDetails.after(KeyList.of(links.revoke(id)));
    return ResponseEntity.noContent().build();
  }

  private LinkTerms terms(ArtifactId artifact, NewLink request) {
    Instant now = clock.instant();
    try {
      return new LinkTerms(
          artifact,
          LinkTerms.Method.of(Objects.requireNonNullElse(request.method(), "GET")),
          Expiry.end(text(request.expires()), now).getEpochSecond(),
          request.notBefore() == null ? 0 : Expiry.begin(request.notBefore(), now).getEpochSecond(),
          request.rate() == null ? 0 : requirePositive(request.rate()),
          Objects.requireNonNullElse(request.device(), ""));
    } catch (IllegalArgumentException e) {
      throw refused(e.getMessage() + ".");
    }
  }

  private static long requirePositive(long rate) {
    if (rate < 1) {
      throw new IllegalArgumentException("\"rate\" is the number of bytes per second, 1 or more");
    }
    return rate;
  }

  private static ProblemException refused(String detail) {
    return new ProblemException(HttpStatus.BAD_REQUEST, "Invalid link", detail);
  }

  /** The property was validated. */
  private static String text(@Nullable String value) {
    return Objects.requireNonNull(value);
  }

  /**
   * A link to sign.
   *
   * @param path of the artifact, not encoded
   * @param method {@code GET}, which allows HEAD too, or {@code HEAD}; GET if absent
   * @param expires when the link ends
   * @param notBefore when the link begins; at once if absent
   * @param rate bytes per second that a download by this link may take; no limit if absent
   * @param device whom the link is for, as it shows in the progress of downloads
   */
  public record NewLink(
      @NotBlank @Nullable String repository,
      @NotBlank @Nullable String path,
      @Nullable String method,
      @NotBlank @Nullable String expires,
      @Nullable String notBefore,
      @Nullable Long rate,
      @Nullable String device) {}

  /**
   * A link.
   *
   * @param url absolute path and query; put the server's address in front
   * @param expires when it ends
   */
  public record LinkView(String url, Instant expires) {
    /** Without the signature. */
    @Override
    public String toString() {
      return "LinkView[" + expires + "]";
    }
  }

  /**
   * A key.
   *
   * @param id as links name it
   * @param signing whether new links are signed with it
   */
  public record KeyView(String id, Instant created, boolean signing) {}

  /**
   * The keys.
   *
   * @param keys by creation
   */
  public record KeyList(List<KeyView> keys) {
    static KeyList of(LinkKeys keys) {
      LinkKey signing = keys.signing();
      return new KeyList(
          keys.keys().stream()
              .map(key -> new KeyView(key.id(), key.created(), key.id().equals(signing.id())))
              .toList());
    }
  }
}
