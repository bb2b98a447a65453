package io.artifactserver.rest.delivery.resolve;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.core.release.Channel;
import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.core.release.ChannelState;
import io.artifactserver.rest.delivery.address.Addresses;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;

/** What channels point to, as devices get it. Thread-safe; no I/O. */
final class FollowedChannels {
  private static final int MAX_ABSENT = 10_000;

  /** An artifact that is added to a release late is offered within this time. */
  private static final Duration REMEMBERED = Duration.ofSeconds(10);

  private static final Optional<Resolution> NOTHING = Optional.of(new Resolution.Nothing());

  private final ChannelBook channels;

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

  FollowedChannels(ChannelBook channels) {
    this.channels = channels;
  }

  Optional<ChannelState> find(Channel channel) {
    return channels.find(channel);
  }

  /** As it is served at the address of a channel. */
  Resolution at(Served found, ArtifactId id) {
    // A chunk is named by its digest, so it is the same in every release.
    if (found.bytes() instanceof Served.Bytes.Framed) {
      return new Resolution.Found(found);
    }
    return found.isForm()
        ? new Resolution.Elsewhere(Addresses.of(id))
        : new Resolution.Found(here(found, id));
  }

  /**
   * As it is offered to a device that polls and may read it; empty if only the database knows.
   *
   * @param artifact looks for it as far as the reach allows
   */
  Optional<Resolution> offer(
      ChannelState channel, ArtifactId id, Supplier<Optional<Served>> artifact, Reach reach) {
    if (reach == Reach.MEMORY && absent.getIfPresent(id) != null) {
      return NOTHING;
    }
    Optional<Served> found = artifact.get();
    if (found.isEmpty() && reach == Reach.MEMORY) {
      return Optional.empty();
    }
    if (found.isEmpty()) {
      absent.put(id, Boolean.TRUE);
      return NOTHING;
    }
    return Optional.of(
        new Resolution.Offered(
            here(found.get(), id), String.valueOf(channel.release()), Addresses.of(id)));
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
