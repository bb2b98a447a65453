package io.artifactserver.rest.api.artifact;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.Hold;
import io.artifactserver.core.catalog.Support;
import io.artifactserver.core.derive.Derived;
import io.artifactserver.core.derive.DerivedForm;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.rest.http.RequestPath;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An artifact as the API shows it. Immutable.
 *
 * @param repository its repository's name
 * @param path in the repository
 * @param length in bytes
 * @param mediaType as uploaded
 * @param md5 of the bytes, lower-case hexadecimal
 * @param sha1 of the bytes, lower-case hexadecimal
 * @param sha256 of the bytes, lower-case hexadecimal
 * @param sha512 of the bytes, lower-case hexadecimal
 * @param created when it was uploaded
 * @param suspect whether its stored bytes were found damaged; absent if not
 * @param hold that keeps it; absent if there is none
 * @param support why it was released, and how long it is supported; absent if nobody has said it
 * @param forms that are computed from it for updates; absent in lists
 * @param warnings of what makes it a bad update, in sentences; in answers to uploads only
 * @param links to it
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ArtifactView(
    String repository,
    String path,
    long length,
    String mediaType,
    String md5,
    String sha1,
    String sha256,
    String sha512,
    Instant created,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean suspect,
    @Nullable HoldView hold,
    @Nullable SupportView support,
    List<FormView> forms,
    List<String> warnings,
    Links links) {
  /** The view of an artifact that was just stored. */
  public static ArtifactView of(Artifact artifact) {
    return of(artifact, List.of());
  }

  /**
   * The view of an artifact that was just uploaded.
   *
   * @param warnings of what makes it a bad update
   */
  static ArtifactView of(Artifact artifact, List<String> warnings) {
    return of(artifact, Set.of(), List.of(), warnings);
  }

  /**
   * The view of an artifact.
   *
   * @param suspects keys of blobs that were found damaged
   */
  static ArtifactView of(Artifact artifact, Set<String> suspects, List<FormView> forms) {
    return of(artifact, suspects, forms, List.of());
  }

  private static ArtifactView of(
      Artifact artifact, Set<String> suspects, List<FormView> forms, List<String> warnings) {
    return new ArtifactView(
        artifact.repository().name(),
        artifact.path(),
        artifact.length(),
        artifact.mediaType(),
        hex(artifact, DigestAlgorithm.MD5),
        hex(artifact, DigestAlgorithm.SHA_1),
        hex(artifact, DigestAlgorithm.SHA_256),
        hex(artifact, DigestAlgorithm.SHA_512),
        artifact.createdAt(),
        suspects.contains(artifact.blob().key()),
        HoldView.of(artifact.hold()),
        SupportView.of(artifact.support()),
        forms,
        warnings,
        Links.of(artifact));
  }

  private static String hex(Artifact artifact, DigestAlgorithm algorithm) {
    return artifact.digests().get(algorithm).map(Digest::hex).orElse("");
  }

  /**
   * A hold.
   *
   * @param until nobody deletes the artifact before
   * @param reason for people
   */
  public record HoldView(Instant until, String reason) {
    static @Nullable HoldView of(@Nullable Hold hold) {
      return hold == null ? null : new HoldView(hold.until(), hold.reason());
    }
  }

  /**
   * Why an artifact was released, and how long it is supported.
   *
   * @param release {@code security} or {@code feature}
   * @param end the last month of the support, such as {@code 2032-03}
   */
  public record SupportView(String release, String end) {
    static @Nullable SupportView of(@Nullable Support support) {
      return support == null
          ? null
          : new SupportView(support.release().toString(), support.end().toString());
    }
  }

  /**
   * Paths on this server.
   *
   * @param self this description
   * @param download for devices, by name
   * @param content for devices, by digest: never changes its bytes
   */
  public record Links(String self, String download, String content) {
    static Links of(Artifact artifact) {
      String path = RequestPath.encode(artifact.path());
      return new Links(
          RepositoryView.PATH + artifact.repository().name() + "/artifacts/" + path,
          "/artifacts/" + artifact.repository().name() + '/' + path,
          "/blobs/sha256/" + artifact.digests().sha256().hex());
    }
  }

  /**
   * A form that is computed from an artifact for updates.
   *
   * @param name {@code zsync}, {@code caibx}, or {@code castr} for compressed chunks
   * @param state {@code ready}, {@code waiting}, or {@code none} if the content gains nothing by it
   * @param length of what is kept, in bytes; absent if nothing is
   * @param created when it was computed; absent if it was not
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record FormView(
      String name, String state, @Nullable Long length, @Nullable Instant created) {
    static FormView of(Derived form) {
      return switch (form) {
        case Derived.Stored stored ->
            new FormView(form.form(), "ready", stored.blob().length(), stored.createdAt());
        case Derived.Skipped _ -> new FormView(form.form(), "none", null, null);
      };
    }

    static FormView waiting(DerivedForm form) {
      return new FormView(form.name(), "waiting", null, null);
    }
  }
}
