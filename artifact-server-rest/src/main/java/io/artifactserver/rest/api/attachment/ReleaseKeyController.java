package io.artifactserver.rest.api.attachment;

import io.artifactserver.core.attachment.ReleaseSignatures;
import io.artifactserver.core.attachment.TrustedKey;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The keys whose owners vouch for the releases of a repository. Thread-safe. */
@RestController
@RequestMapping("/api/v1/repositories/{repository}/release-keys")
@Tag(name = "Attachments")
public record ReleaseKeyController(ArtifactCatalog catalog, ReleaseSignatures signatures) {
  /** The keys that a repository trusts. */
  @GetMapping
  @Operation(summary = "List the keys that must have signed what is released")
  public Keys get(@PathVariable String repository) {
    requireRepository(repository);
    return Keys.of(signatures.keys(repository));
  }

  /** Says which keys a repository trusts: 200. */
  @PutMapping
  @Operation(
      summary = "Say which keys must have signed what is released",
      description =
          "From now on a channel is pointed to a release only if each of its artifacts has a good"
              + " signature of one of the keys. Channels stay as they are. Without a key,"
              + " everything is released.")
  public Keys put(@PathVariable String repository, @Valid @RequestBody Keys request) {
    requireRepository(repository);
    List<TrustedKey> trusted =
        request.keys().stream()
            .map(Key::toTrusted)
            .sorted(Comparator.comparing(TrustedKey::name))
            .toList();
    Set<String> names = new HashSet<>();
    trusted.forEach(key -> {
      if (!names.add(key.name())) {
        throw invalid("Two keys are called \"%s\".".formatted(key.name()));
      }
    });
    AuditDetails.before(Keys.of(signatures.keys(repository)));
    try {
      if (!signatures.put(repository, trusted)) {
        throw new ProblemException(Problems.repositoryNotFound(repository));
      }
    } catch (IllegalArgumentException e) {
      throw invalid(e.getMessage() + ".");
    }
    Keys after = Keys.of(trusted);
    AuditDetails.after(after);
    return after;
  }

  private void requireRepository(String repository) {
    if (catalog.repository(Repository.requireName(repository)).isEmpty()) {
      throw new ProblemException(Problems.repositoryNotFound(repository));
    }
  }

  private static ProblemException invalid(String detail) {
    return new ProblemException(HttpStatus.BAD_REQUEST, "Invalid body", detail);
  }

  /**
   * Keys.
   *
   * @param keys by name
   */
  public record Keys(@NotNull @Size(max = TrustedKey.MAX_KEYS) List<@Valid @NotNull Key> keys) {
    static Keys of(List<TrustedKey> keys) {
      return new Keys(keys.stream().map(Key::of).toList());
    }
  }

  /**
   * A key.
   *
   * @param name for people, unique in the repository
   * @param format {@code minisign} or {@code cms}
   * @param key the second line of {@code minisign.pub}; or a certificate or a public key in PEM
   */
  public record Key(
      @NotBlank @Nullable String name,
      @NotBlank @Pattern(regexp = "minisign|cms", message = "is \"minisign\" or \"cms\"")
          @Nullable String format,
      @NotBlank @Nullable String key) {
    static Key of(TrustedKey key) {
      return new Key(key.name(), key.format().toString(), key.key());
    }

    TrustedKey toTrusted() {
      return new TrustedKey(
          Objects.requireNonNull(name),
          TrustedKey.Format.valueOf(Objects.requireNonNull(format).toUpperCase(Locale.ROOT)),
          Objects.requireNonNull(key));
    }
  }
}
