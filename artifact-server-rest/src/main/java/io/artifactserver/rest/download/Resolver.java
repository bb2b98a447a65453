package io.artifactserver.rest.download;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Content;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.rest.auth.Authentication;
import io.artifactserver.rest.auth.Authenticator;
import io.artifactserver.rest.auth.Credentials;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ProblemDetail;

/**
 * Finds what a request names, if its sender may read it. Denies by default, and never tells whether
 * a protected artifact exists: without a good token everything in a protected repository is a 401,
 * with one that may not read it a 404. Thread-safe.
 */
final class Resolver {
  /** What was found. */
  sealed interface Resolution {
    /** To be served. */
    record Found(Served served) implements Resolution {}

    /** To be served in a while: what is computed from an artifact is not there yet. */
    record NotReady() implements Resolution {}

    /** Nothing, or nothing the sender may know of. */
    record NotFound() implements Resolution {}

    /** So many wrong secrets came that this one is not looked at. */
    record Throttled() implements Resolution {}

    /** A good token is needed. */
    record Unauthorized() implements Resolution {}

    /** It cannot be served. */
    record Failed(ProblemDetail problem) implements Resolution {}
  }

  private static final Optional<Resolution> NOT_FOUND = Optional.of(new Resolution.NotFound());
  private static final Optional<Resolution> THROTTLED = Optional.of(new Resolution.Throttled());
  private static final Optional<Resolution> UNAUTHORIZED =
      Optional.of(new Resolution.Unauthorized());

  /** hawkBit's. */
  private static final String MD5_SUFFIX = ".MD5SUM";

  /** Suffixes under which an artifact's digest is served in the format of md5sum and its like. */
  private static final Map<String, DigestAlgorithm> CHECKSUM_SUFFIXES =
      Map.of(
          ".md5",
          DigestAlgorithm.MD5,
          MD5_SUFFIX,
          DigestAlgorithm.MD5,
          ".sha1",
          DigestAlgorithm.SHA_1,
          ".sha256",
          DigestAlgorithm.SHA_256,
          ".sha512",
          DigestAlgorithm.SHA_512);

  private final ArtifactCatalog catalog;
  private final Authenticator authenticator;
  private final DerivedAnswers derived;
  private final Optional<GrantedDownloads> granted;

  /** By identity: the catalog's cache hands out the same object while nothing changed. */
  private final Cache<Object, Served> served =
      Caffeine.newBuilder().executor(Runnable::run).weakKeys().build();

  /**
   * @param granted what hawkBit grants, if it is asked
   */
  Resolver(
      ArtifactCatalog catalog,
      Authenticator authenticator,
      DerivedAnswers derived,
      Optional<GrantedDownloads> granted) {
    this.catalog = catalog;
    this.authenticator = authenticator;
    this.derived = derived;
    this.granted = granted;
  }

  /** Resolves from memory, without I/O; empty if the database has to be asked. */
  Optional<Resolution> peek(Target target, Credentials credentials) {
    return switch (target) {
      case Target.OfArtifact(ArtifactId id) -> {
        Optional<Artifact> known = catalog.peek(id);
        yield known.isEmpty()
            ? derived
                .peek(id)
                .flatMap(answer -> decide(answer, id, authenticator.peek(credentials)))
                .or(() -> peekDenied(id.repository(), credentials))
            : known.get().repository().isPublic()
                ? found(known.get())
                : decide(known.get(), authenticator.peek(credentials));
      }
      case Target.OfContent(Digest digest) ->
          catalog
              .peekContent(digest)
              .flatMap(content -> decide(content, authenticator.peek(credentials)));
      case Target.OfContentIn in -> {
        Optional<Content> known = catalog.peekContent(in.digest());
        yield known.isEmpty()
            ? peekDenied(in.repository(), credentials)
            : known
                .filter(content -> holder(content, in).isPresent())
                .flatMap(content -> decide(content, in, authenticator.peek(credentials)));
      }
      case Target.Granted wish -> granted.orElseThrow().peek(wish, credentials);
    };
  }

  /** A stranger learns nothing of a repository that is not public, and so costs no query. */
  private Optional<Resolution> peekDenied(String repository, Credentials credentials) {
    boolean mayBePublic =
        !catalog.knowsRepositories()
            || catalog.peekRepository(repository).filter(Repository::isPublic).isPresent();
    if (mayBePublic) {
      return Optional.empty();
    }
    Authentication caller = authenticator.peek(credentials);
    return caller instanceof Authentication.Known(var known) && known.mayReadSomeOf(repository)
        ? Optional.empty()
        : denied(caller);
  }

  /** Whether the database is not to be asked because of too many wrong secrets. */
  boolean isThrottled(Credentials credentials, @Nullable Object address) {
    return authenticator.isThrottled(credentials, address);
  }

  /**
   * Resolves what hawkBit grants; asks it. Does not block, and does not fail.
   *
   * @param sender of the request; null if nobody knows
   */
  CompletableFuture<Resolution> ask(
      Target.Granted target, Credentials credentials, @Nullable Object sender) {
    return granted.orElseThrow().find(target, credentials, sender);
  }

  /**
   * Resolves everything but what hawkBit grants; asks the database where it must. Blocks.
   *
   * @param address that answers for wrong secrets; null if nobody does
   */
  Resolution resolve(Target target, Credentials credentials, @Nullable Object address) {
    Authentication caller = authenticator.authenticate(credentials, address);
    // Nobody is undecided here, so every decision is one.
    Optional<Resolution> resolution =
        switch (target) {
          case Target.OfArtifact(ArtifactId id) ->
              catalog
                  .find(id)
                  .flatMap(artifact -> decide(artifact, caller))
                  .or(() -> checksumLine(id, caller))
                  .or(() -> derived.find(id).flatMap(answer -> decide(answer, id, caller)))
                  .or(() -> missing(id.repository(), caller));
          case Target.OfContent(Digest digest) ->
              catalog
                  .findContent(digest)
                  .flatMap(content -> decide(content, caller))
                  .or(() -> denied(caller));
          case Target.OfContentIn in ->
              catalog
                  .findContent(in.digest())
                  .filter(content -> holder(content, in).isPresent())
                  .flatMap(content -> decide(content, in, caller))
                  .or(() -> missing(in.repository(), caller));
          case Target.Granted wish ->
              throw new IllegalArgumentException(wish + " is for hawkBit to resolve");
        };
    return resolution.orElseThrow();
  }

  private Optional<Resolution> decide(Artifact artifact, Authentication caller) {
    return mayRead(artifact, caller) ? found(artifact) : denied(caller);
  }

  private Optional<Resolution> decide(
      DerivedAnswers.Answer answer, ArtifactId id, Authentication caller) {
    return switch (answer) {
      case DerivedAnswers.Answer.Ready(Artifact artifact, Served form) ->
          mayRead(artifact, caller) ? found(form) : denied(caller);
      case DerivedAnswers.Answer.NotReady _ ->
          missing(id.repository(), caller)
              .map(missing ->
                  missing instanceof Resolution.NotFound && isReadable(id, caller)
                      ? new Resolution.NotReady()
                      : missing);
    };
  }

  private boolean isReadable(ArtifactId id, Authentication caller) {
    return (caller instanceof Authentication.Known(var known) && known.mayRead(id))
        || catalog.findRepository(id.repository()).filter(Repository::isPublic).isPresent();
  }

  private Optional<Resolution> decide(Content content, Authentication caller) {
    return content.repositories().stream().anyMatch(repository -> mayReadAllOf(repository, caller))
        ? found(served.get(content, key -> Served.of(content, content.digests().sha256().hex())))
        : denied(caller);
  }

  private Optional<Resolution> decide(
      Content content, Target.OfContentIn target, Authentication caller) {
    return holder(content, target).filter(found -> mayReadAllOf(found, caller)).isPresent()
        ? content(content, target.fileName())
        : denied(caller);
  }

  /** hawkBit makes the address of the MD5 file of the artifact's, whatever that is. */
  private static Optional<Resolution> content(Content content, String fileName) {
    if (!fileName.endsWith(MD5_SUFFIX)) {
      return found(Served.of(content, fileName));
    }
    String savedAs = fileName.substring(0, fileName.length() - MD5_SUFFIX.length());
    return content
        .digests()
        .get(DigestAlgorithm.MD5)
        .flatMap(md5 -> found(Served.checksumLine(content, md5, savedAs, fileName)))
        .or(() -> NOT_FOUND);
  }

  private static Optional<Repository> holder(Content content, Target.OfContentIn target) {
    return content.repositories().stream()
        .filter(repository -> repository.name().equals(target.repository()))
        .findFirst();
  }

  private Optional<Resolution> found(Artifact artifact) {
    return found(served.get(artifact, key -> Served.of(artifact)));
  }

  private static Optional<Resolution> found(Served served) {
    return Optional.of(new Resolution.Found(served));
  }

  /** The digest of an artifact that exists, unless something of that very name does. */
  private Optional<Resolution> checksumLine(ArtifactId id, Authentication caller) {
    int dot = id.path().lastIndexOf('.');
    DigestAlgorithm algorithm = dot < 0 ? null : CHECKSUM_SUFFIXES.get(id.path().substring(dot));
    if (algorithm == null || dot == 0 || id.path().charAt(dot - 1) == '/') {
      return Optional.empty();
    }
    return catalog
        .find(new ArtifactId(id.repository(), id.path().substring(0, dot)))
        .flatMap(artifact ->
            artifact
                .digests()
                .get(algorithm)
                .flatMap(digest ->
                    mayRead(artifact, caller)
                        ? found(Served.checksumLine(artifact, digest, id.fileName()))
                        : denied(caller)));
  }

  private Optional<Resolution> missing(String repository, Authentication caller) {
    boolean isPublic = catalog.findRepository(repository).map(Repository::isPublic).orElse(false);
    return isPublic ? NOT_FOUND : denied(caller);
  }

  private static boolean mayRead(Artifact artifact, Authentication caller) {
    return artifact.repository().isPublic()
        || (caller instanceof Authentication.Known(var known) && known.mayRead(artifact.id()));
  }

  /** For content, which has no path: a caller who may read some paths only asks by those. */
  private static boolean mayReadAllOf(Repository repository, Authentication caller) {
    return repository.isPublic()
        || (caller instanceof Authentication.Known(var known)
            && known.mayReadAllOf(repository.name()));
  }

  /** The same whether or not there is something to protect; empty if the caller is undecided. */
  private static Optional<Resolution> denied(Authentication caller) {
    return switch (caller) {
      case Authentication.Known _ -> NOT_FOUND;
      case Authentication.Throttled _ -> THROTTLED;
      case Authentication.Anonymous _, Authentication.Refused _ -> UNAUTHORIZED;
      case Authentication.Undecided _ -> Optional.empty();
    };
  }
}
