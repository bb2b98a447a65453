package io.artifactserver.rest.delivery.resolve;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.access.Caller;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.core.release.Channel;
import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.core.release.ChannelState;
import io.artifactserver.core.release.Follower;
import io.artifactserver.rest.access.Authentication;
import io.artifactserver.rest.delivery.address.Addresses;
import io.artifactserver.rest.delivery.address.Target;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;

/** The artifacts that channels point to, as devices get them. Thread-safe; no I/O. */
final class FollowedChannels {
  private static final int MAX_ABSENT = 10_000;

  /** An artifact that is added to a release late is offered within this time. */
  private static final Duration REMEMBERED = Duration.ofSeconds(10);

  private static final Optional<Resolution> NOTHING = Optional.of(new Resolution.Nothing(false));
  private static final Optional<Resolution> WAITING = Optional.of(new Resolution.Nothing(true));

  private static final Follower NOBODY = new Follower("", "", Labels.NONE, false, Optional.empty());

  private final ChannelBook channels;
  private final InstantSource clock;

  /** By identity: the resolver hands out the same object while nothing changed. */
  private final Cache<Served, Served> followed =
      Caffeine.newBuilder().executor(Runnable::run).weakKeys().build();

  /** Polled in vain lately: devices ask again and again for what their release does not have. */
  private final Cache<ArtifactId, Boolean> absent =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .maximumSize(MAX_ABSENT)
          .expireAfterWrite(REMEMBERED)
          .build();

  FollowedChannels(ChannelBook channels, InstantSource clock) {
    this.channels = channels;
    this.clock = clock;
  }

  Optional<ChannelState> find(Channel channel) {
    return channels.find(channel);
  }

  /** As it is served at the address of a channel, to a device that it was chosen for. */
  Resolution at(Served found, ArtifactId id, Chosen chosen) {
    // A chunk is named by its digest, so it is the same in every release.
    if (found.bytes() instanceof Served.Bytes.Framed) {
      return new Resolution.Found(found);
    }
    if (found.isForm()) {
      return new Resolution.Elsewhere(Addresses.of(id));
    }
    return chosen.isWatched()
        ? new Resolution.Followed(here(found, id), chosen)
        : new Resolution.Found(here(found, id));
  }

  /**
   * Chooses for the device, whose token's name may matter; empty if there is no such channel, or
   * only the database knows the token.
   */
  Optional<Chosen> choose(Channel channel, Target.Claim claim, Supplier<Authentication> caller) {
    return channels
        .find(channel)
        .flatMap(state ->
            state.asksForDevices()
                ? follower(channel, claim, caller.get())
                    .map(device -> new Chosen(state, device, state.share(device, clock.instant())))
                : Optional.of(new Chosen(state, NOBODY, ChannelState.Share.RELEASE)));
  }

  private static Optional<Follower> follower(
      Channel channel, Target.Claim claim, Authentication caller) {
    return switch (caller) {
      case Authentication.Undecided _ -> Optional.empty();
      case Authentication.Known(Caller known) ->
          Optional.of(
              new Follower(
                  claim.name().isEmpty() ? known.name() : claim.name(),
                  known.name(),
                  known.labels(),
                  known.mayReadSomeOf(channel.repository()),
                  claim.address()));
      default -> Optional.of(new Follower(claim.name(), "", Labels.NONE, false, claim.address()));
    };
  }

  /**
   * As it is offered to a device that polls and may read it; empty if only the database knows.
   *
   * @param artifacts looks for one as far as the reach allows
   */
  Optional<Resolution> offer(
      Chosen chosen, String path, Function<ArtifactId, Optional<Served>> artifacts, Reach reach) {
    Optional<ArtifactId> artifact = chosen.artifact(path);
    if (chosen.share() == ChannelState.Share.WAIT) {
      return WAITING;
    }
    if (artifact.isEmpty()) {
      return NOTHING;
    }
    ArtifactId id = artifact.get();
    if (reach == Reach.MEMORY && absent.getIfPresent(id) != null) {
      return NOTHING;
    }
    Optional<Served> found = artifacts.apply(id);
    if (found.isPresent()) {
      return Optional.of(new Resolution.Offered(here(found.get(), id), chosen, Addresses.of(id)));
    }
    if (reach == Reach.MEMORY) {
      return Optional.empty();
    }
    absent.put(id, Boolean.TRUE);
    return NOTHING;
  }

  private Served here(Served found, ArtifactId id) {
    return followed.get(found, each -> here(each, Addresses.of(id)));
  }

  /**
   * The same at the address of a channel, which has other bytes one day. It is not served by the
   * backend: that knows no channels, and would answer a range of whatever it has.
   *
   * @param address of the artifact itself
   */
  private static Served here(Served found, String address) {
    String asking =
        found.fields().get(HttpHeader.CACHE_CONTROL).startsWith("private")
            ? "private, no-cache"
            : "no-cache";
    HttpField cacheControl = new PreEncodedHttpField(HttpHeader.CACHE_CONTROL, asking);
    return new Served(
        found.bytes(),
        found.digests(),
        found.representation(),
        found.mediaType(),
        HttpFields.build(found.fields())
            .put(cacheControl)
            .put(new PreEncodedHttpField(HttpHeader.CONTENT_LOCATION, address))
            .asImmutable(),
        HttpFields.build(found.partFields()).put(cacheControl).asImmutable(),
        false,
        found.isForm(),
        HttpFields.build(found.validators()).put(cacheControl).asImmutable());
  }
}
