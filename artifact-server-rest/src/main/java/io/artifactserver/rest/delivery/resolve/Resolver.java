package io.artifactserver.rest.delivery.resolve;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Content;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.release.Channel;
import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.rest.access.Authentication;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.access.Sender;
import io.artifactserver.rest.delivery.address.Target;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a request names, if its sender may read it. Denies by default, and never tells whether
 * a protected artifact exists: without a good token everything in a protected repository is a 401,
 * with one that may not read it a 404. The catalog is not asked for paths that the sender may not
 * read, so they take the way, and the time, of paths that do not exist. Thread-safe.
 */
public final class Resolver {
  /**
   * The sender of a request.
   *
   * @param authentication who it is, when asked
   * @param wasGood whether its credentials were good in an earlier request
   */
  private record Asker(Supplier<Authentication> authentication, boolean wasGood) {}

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
  private final FollowedChannels channels;
  private final Authenticator authenticator;
  private final DerivedAnswers derived;
  private final Optional<GrantedDownloads> granted;
  private final InstantSource clock;

  /** By identity: the catalog's cache hands out the same object while nothing changed. */
  private final Cache<Object, Served> served =
      Caffeine.newBuilder().executor(Runnable::run).weakKeys().build();

  /**
   * @param granted artifacts that hawkBit grants; empty if it is not asked
   * @param clock tells how long ago an artifact was deleted
   */
  public Resolver(
      ArtifactCatalog catalog,
      ChannelBook channels,
      Authenticator authenticator,
      DerivedAnswers derived,
      Optional<GrantedDownloads> granted,
      InstantSource clock) {
    this.catalog = catalog;
    this.channels = new FollowedChannels(channels, clock);
    this.authenticator = authenticator;
    this.derived = derived;
    this.granted = granted;
    this.clock = clock;
  }

  /** Resolves from memory, without I/O; empty if somebody has to be asked. */
  public Optional<Resolution> peek(Target target, Credentials credentials) {
    return target instanceof Target.Granted wish
        ? granted.orElseThrow().peek(wish, credentials)
        : resolve(
            target,
            new Asker(() -> authenticator.peek(credentials), credentials.wereGood()),
            Reach.MEMORY);
  }

  /** Returns the account that a lookup counts for. */
  public Sender sender(Credentials credentials, @Nullable Object address) {
    return authenticator.sender(credentials, address);
  }

  /**
   * Resolves what hawkBit grants; asks it. Does not block, and does not fail.
   *
   * @param sender of the request; null if nobody knows
   */
  public CompletableFuture<Resolution> ask(
      Target.Granted target, Credentials credentials, @Nullable Object sender) {
    return granted.orElseThrow().find(target, credentials, sender);
  }

  /**
   * Resolves everything but what hawkBit grants; asks the database where it must. Blocks.
   *
   * @param address that answers for wrong secrets; null if nobody does
   */
  public Resolution resolve(Target target, Credentials credentials, @Nullable Object address) {
    Authentication caller = authenticator.authenticate(credentials, address);
    return resolve(target, new Asker(() -> caller, credentials.wereGood()), Reach.DATABASE)
        .orElseThrow();
  }

  /**
   * The one tree of decisions: in memory it ends where only the database knows, and else never.
   *
   * @param asker asked for only where it matters
   */
  private Optional<Resolution> resolve(Target target, Asker asker, Reach reach) {
    Supplier<Authentication> caller = asker.authentication();
    return switch (target) {
      case Target.OfArtifact(ArtifactId id) -> {
        Predicate<ArtifactId> readable = each -> mayRead(each, asker, reach);
        yield find(id, readable, reach)
            .flatMap(this::found)
            .or(() -> checksumLine(id, readable, reach))
            .or(() -> derived.find(id, readable, reach))
            .or(() -> gone(id, readable, reach))
            .or(() -> missing(id.repository(), caller.get(), reach));
      }
      case Target.OfChannel wish -> follow(wish, asker, reach);
      case Target.OfPoll it -> offer(it.channel(), it.path(), it.device(), asker, reach);
      case Target.OfReport it -> offer(it.channel(), it.path(), it.device(), asker, reach);
      case Target.OfContent(Digest digest) ->
          catalog
              .findContent(digest, reach)
              .filter(content -> mayRead(content, caller.get()))
              .flatMap(this::found)
              // In memory, what may not be read takes the way of what does not exist.
              .or(() -> reach == Reach.MEMORY ? Optional.empty() : denied(caller.get()));
      case Target.OfContentIn in ->
          catalog
              .findContent(in.digest(), reach)
              .filter(content -> mayRead(content, in.repository(), caller.get()))
              .flatMap(content -> content(content, in))
              .or(() -> missing(in.repository(), caller.get(), reach));
      case Target.Granted wish ->
          throw new IllegalArgumentException(wish + " is for hawkBit to resolve");
    };
  }

  private Optional<Resolution> follow(Target.OfChannel wish, Asker asker, Reach reach) {
    if (channels.find(wish.channel()).isEmpty()) {
      return resolve(new Target.OfArtifact(wish.literally()), asker, reach);
    }
    // Empty where only the database knows the caller.
    return channels
        .choose(wish.channel(), wish.device(), asker.authentication())
        .flatMap(chosen ->
            chosen
                .artifact(wish.path())
                .map(id ->
                    resolve(new Target.OfArtifact(id), asker, reach)
                        .map(found ->
                            found instanceof Resolution.Found(Served it)
                                ? channels.at(it, id, chosen)
                                : found))
                .orElseGet(() -> missing(wish.repository(), asker.authentication().get(), reach)));
  }

  private Optional<Resolution> offer(
      Channel channel, String path, Target.Claim device, Asker asker, Reach reach) {
    if (channels.find(channel).isEmpty()) {
      return missing(channel.repository(), asker.authentication().get(), reach);
    }
    return channels
        .choose(channel, device, asker.authentication())
        .flatMap(chosen ->
            mayRead(chosen.artifactOrNext(path), asker, reach)
                ? channels.offer(
                    chosen, path, id -> catalog.find(id, reach).map(this::served), reach)
                : missing(channel.repository(), asker.authentication().get(), reach));
  }

  private Optional<Artifact> find(ArtifactId id, Predicate<ArtifactId> readable, Reach reach) {
    return Optional.of(id).filter(readable).flatMap(each -> catalog.find(each, reach));
  }

  /** hawkBit makes the address of the MD5 file of the artifact's, whatever that is. */
  private static Optional<Resolution> content(Content content, Target.OfContentIn in) {
    String fileName = in.fileName();
    if (!fileName.endsWith(MD5_SUFFIX)) {
      return found(Served.of(content, in.repository(), fileName));
    }
    String savedAs = fileName.substring(0, fileName.length() - MD5_SUFFIX.length());
    return content
        .digests()
        .get(DigestAlgorithm.MD5)
        .flatMap(
            md5 -> found(Served.checksumLine(content, in.repository(), md5, savedAs, fileName)))
        .or(() -> NOT_FOUND);
  }

  private Optional<Resolution> found(Artifact artifact) {
    return found(served(artifact));
  }

  private Served served(Artifact artifact) {
    return served.get(artifact, key -> Served.of(artifact));
  }

  private Optional<Resolution> found(Content content) {
    return found(served.get(content, key -> Served.of(content)));
  }

  private static Optional<Resolution> found(Served served) {
    return Optional.of(new Resolution.Found(served));
  }

  /**
   * The digest of an artifact that exists, unless something of that very name does: memory does not
   * know that.
   */
  private Optional<Resolution> checksumLine(
      ArtifactId id, Predicate<ArtifactId> readable, Reach reach) {
    if (reach == Reach.MEMORY) {
      return Optional.empty();
    }
    int dot = id.path().lastIndexOf('.');
    DigestAlgorithm algorithm = dot < 0 ? null : CHECKSUM_SUFFIXES.get(id.path().substring(dot));
    if (algorithm == null || dot == 0 || id.path().charAt(dot - 1) == '/') {
      return Optional.empty();
    }
    return find(new ArtifactId(id.repository(), id.path().substring(0, dot)), readable, reach)
        .flatMap(artifact ->
            artifact
                .digests()
                .get(algorithm)
                .flatMap(digest -> found(Served.checksumLine(artifact, digest, id.fileName()))));
  }

  /** Finds the deleted artifact. Asked only when there is nothing else to answer. */
  private Optional<Resolution> gone(ArtifactId id, Predicate<ArtifactId> readable, Reach reach) {
    return Optional.of(id)
        .filter(each -> reach == Reach.DATABASE && readable.test(each))
        .flatMap(catalog::usedPath)
        .filter(used -> used.isGone(clock.instant()))
        .map(Resolution.Gone::new);
  }

  /**
   * There is nothing for this caller. Memory knows so much only of a repository that is not public,
   * for a caller who may read none of it: a stranger costs no query.
   */
  private Optional<Resolution> missing(String repository, Authentication caller, Reach reach) {
    if (reach == Reach.DATABASE) {
      return isPublic(repository, reach) ? NOT_FOUND : denied(caller);
    }
    boolean mayReadSome =
        caller instanceof Authentication.Known(var known) && known.mayReadSomeOf(repository);
    return mayReadSome || !catalog.knowsAsNotPublic(repository) ? Optional.empty() : denied(caller);
  }

  private boolean isPublic(String repository, Reach reach) {
    return catalog.findRepository(repository, reach).filter(Repository::isPublic).isPresent();
  }

  /**
   * A token that was good before is looked at first, as it is most likely good again and spares the
   * lookup of the repository. Other credentials are looked at only if the repository is not public.
   */
  private boolean mayRead(ArtifactId id, Asker asker, Reach reach) {
    return asker.wasGood()
        ? includes(asker.authentication().get(), id) || isPublic(id.repository(), reach)
        : isPublic(id.repository(), reach) || includes(asker.authentication().get(), id);
  }

  /** Whether the artifact is in the caller's scope. */
  private static boolean includes(Authentication caller, ArtifactId id) {
    return caller instanceof Authentication.Known(var known) && known.mayRead(id);
  }

  private static boolean mayRead(Content content, Authentication caller) {
    return content.repositories().stream().anyMatch(each -> mayReadAllOf(each, caller));
  }

  private static boolean mayRead(Content content, String repository, Authentication caller) {
    return content.repositories().stream()
        .anyMatch(each -> each.name().equals(repository) && mayReadAllOf(each, caller));
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
