package io.artifactserver.rest.delivery.pace;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.SignedLink;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.limit.DownloadQueue;
import io.artifactserver.core.limit.Lane;
import io.artifactserver.core.limit.LimitBook;
import io.artifactserver.core.limit.LimitTable;
import io.artifactserver.core.limit.TokenBucket;
import io.artifactserver.rest.access.Authentication;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.api.limit.PaceThreads;
import io.artifactserver.rest.delivery.address.Target;
import io.artifactserver.rest.delivery.body.Throttle;
import io.artifactserver.rest.server.engine.Http2Connections;
import io.artifactserver.rest.server.guard.Connections;
import io.artifactserver.rest.server.guard.PacedBody;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** Finds out how fast a request may be answered. Thread-safe; nothing blocks. */
public record Throttles(
    LimitBook book,
    ArtifactCatalog catalog,
    PaceThreads threads,
    Connections connections,
    Authenticator authenticator,
    DownloadClasses classes,
    Permissions permissions) {
  /**
   * In bytes a second: a client that takes less while others wait for its place does not need it.
   */
  private static final long SHARE = 64 * 1024;

  /** Returns the limits of one download, which follow what changes while it waits and runs. */
  public OfDownload of(Request request, Target target, Credentials credentials) {
    SignedLink link = credentials.link();
    long rate = link == null ? 0 : link.terms().rate();
    return new OfDownload(
        request,
        target,
        credentials,
        rate == 0 ? null : new TokenBucket(rate, System::nanoTime, threads));
  }

  /** Returns all limits as things stand. */
  public LimitTable table() {
    return book.table();
  }

  /**
   * Whether {@link #takeNow} decides alone: the table has no limit for the request but those of its
   * repository and of the server.
   */
  public boolean canTakeNow(
      LimitTable table, Request request, Target target, Credentials credentials) {
    SignedLink link = credentials.link();
    return (link == null || link.terms().rate() == 0)
        && classes.areNone(table, request, credentials);
  }

  /**
   * Takes what such a request is to be sent, if it may be sent at once.
   *
   * @param before the table that was asked
   * @return a task to run when nothing more is sent; null if it may not be sent at once
   */
  public @Nullable Runnable takeNow(LimitTable before, Target target, long bytes) {
    if (!isStill(before)) {
      return null;
    }
    Lane lane = lane(before, target);
    DownloadQueue queue = lane.queue().orElse(null);
    if (queue != null && !queue.beginNow()) {
      return null;
    }
    if (TokenBucket.takeNow(lane.buckets(), bytes)) {
      return queue == null ? () -> {} : queue::end;
    }
    if (queue != null) {
      queue.end();
    }
    return null;
  }

  /** Whether the table is the one by which downloads are limited. */
  @SuppressWarnings("ReferenceEquality") // Every change makes another table.
  public boolean isStill(LimitTable table) {
    return table == book.table();
  }

  private Lane lane(LimitTable table, Target target) {
    if (table.isEmpty()) {
      return table.open();
    }
    return switch (target) {
      case Target.InRepository in -> table.lane(in.repository());
      case Target.OfContent(Digest digest) -> narrowest(table, digest);
      case Target.Granted _ -> table.open();
    };
  }

  /** An address without a repository is no way around a limit. */
  private Lane narrowest(LimitTable table, Digest digest) {
    return catalog.findContent(digest, Reach.MEMORY).stream()
        .flatMap(content -> content.repositories().stream())
        .min(
            Comparator.comparingLong(
                repository -> table.limits(repository.name()).bytesPerSecond()))
        .map(repository -> table.lane(repository.name()))
        .orElseGet(table::open);
  }

  /**
   * The client that a place in a queue counts for.
   *
   * @param address null if it says nothing
   * @param caller empty if nobody knows
   */
  private record Client(@Nullable Object address, String caller) {}

  /** The limits of one download. Used by one thread at a time. */
  public final class OfDownload implements Throttle {
    private final Request request;
    private final Target target;
    private final Credentials credentials;
    private final @Nullable TokenBucket ofLink;
    private final Permissions.Permission permission;

    /** Null until a table has limits of classes. */
    private DownloadClasses.@Nullable OfOne own;

    /** Null until it is the download's turn, or where there is no queue. */
    private volatile DownloadQueue.@Nullable Place place;

    /** Null until its client had to be waited for. */
    private volatile @Nullable PacedBody body;

    /** Whether the server held bytes back since the last look. */
    private volatile boolean wasHeldBack;

    /** Bytes that the client had taken at the last look; negative if it was not waited for. */
    private long takenBefore = -1;

    private OfDownload(
        Request request, Target target, Credentials credentials, @Nullable TokenBucket ofLink) {
      this.request = request;
      this.target = target;
      this.credentials = credentials;
      this.ofLink = ofLink;
      this.permission = permissions.new Permission(request, target, credentials);
    }

    /** Whether another server must not send the body instead. */
    public boolean isLimited() {
      LimitTable table = book.table();
      return ofLink != null || lane(table, target).queue().isPresent() || isOfClass(table);
    }

    /** Returns where the download waits for its turn; empty if it need not, or has it. */
    public Optional<DownloadQueue> queue() {
      return place == null ? lane(book.table(), target).queue() : Optional.empty();
    }

    /**
     * Waits for its turn in a queue. Does not block.
     *
     * @param begin sends the answer when it is its turn, unless the client has gone
     * @param left runs if the client goes before
     * @return false if the queue is full
     */
    public boolean enter(
        DownloadQueue queue, Consumer<DownloadQueue.Place> begin, Consumer<Throwable> left) {
      Http2Connections.hold(request);
      Optional<DownloadQueue.Place> entered =
          queue.enter(
              client(),
              new DownloadQueue.Download() {
                @Override
                public void begin(DownloadQueue.Place begun) {
                  place = begun;
                  threads.execute(() -> {
                    release();
                    begin.accept(begun);
                  });
                }

                @Override
                public boolean isSlow() {
                  return isSipping();
                }
              });
      if (entered.isEmpty()) {
        release();
        return false;
      }
      DownloadQueue.Place mine = entered.get();
      if (mine.isWaiting()) {
        Consumer<Throwable> leave =
            failure -> {
              if (mine.leave()) {
                left.accept(failure);
              }
            };
        // HTTP/2 tells it; over HTTP/1.1 nothing is read before the answer.
        request.addFailureListener(leave);
        connections.hold(
            request, () -> leave.accept(new EofException("The client left the queue")));
        if (!mine.isWaiting()) {
          release();
        }
      }
      return true;
    }

    @Override
    public void watch(PacedBody taken) {
      body = taken;
    }

    /** Asked once a second, by one thread at a time, while others wait for a place. */
    private boolean isSipping() {
      PacedBody watched = body;
      long before = takenBefore;
      takenBefore = watched == null || !watched.isPending() ? -1 : watched.taken();
      boolean wasOurs = wasHeldBack;
      wasHeldBack = false;
      return before >= 0 && takenBefore >= 0 && !wasOurs && takenBefore - before < SHARE;
    }

    private void release() {
      Http2Connections.release(request);
      connections.release(request);
    }

    /**
     * Devices of a site may share an address, and those of a fleet a token. Links of one key are
     * one client, whatever names are in them. Nobody vouches for strangers behind a trusted proxy:
     * each request is one of its own.
     */
    private Object client() {
      @Nullable Object address = connections.client(request);
      String caller =
          authenticator.peek(credentials) instanceof Authentication.Known(Caller known)
              ? known.id() + (credentials.link() == null ? ' ' + known.name() : "")
              : "";
      return address == null && caller.isEmpty() ? request : new Client(address, caller);
    }

    @Override
    public boolean holdsBack() {
      LimitTable table = book.table();
      DownloadQueue.Place mine = place;
      return (mine != null && mine.isSuspended())
          || ofLink != null
          || !lane(table, target).buckets().isEmpty()
          || isOfClass(table);
    }

    @Override
    public long take(long most, LongConsumer granted) throws EofException {
      permission.require();
      DownloadQueue.Place mine = place;
      if (mine != null && mine.isSuspended()) {
        mine.resume(() -> threads.execute(() -> takeLater(most, granted)));
        return 0;
      }
      LimitTable table = book.table();
      if (table.hasClasses()
          && own().isUndecided(table)
          && own().lookUp(() -> takeLater(most, granted))) {
        return 0;
      }
      return takeShare(table, most, granted);
    }

    /** The caller had to be looked up, or the download had to wait for its turn. */
    private void takeLater(long most, LongConsumer granted) {
      long bytes = takeShare(book.table(), most, granted);
      if (bytes > 0) {
        threads.execute(() -> granted.accept(bytes));
      }
    }

    private long takeShare(LimitTable table, long most, LongConsumer granted) {
      List<TokenBucket> buckets = lane(table, target).buckets();
      if (table.hasClasses()) {
        buckets = Stream.concat(own().buckets(table).stream(), buckets.stream()).toList();
      }
      if (ofLink != null) {
        buckets = Stream.concat(Stream.of(ofLink), buckets.stream()).toList();
      }
      if (buckets.isEmpty()) {
        return ANY;
      }
      Grant grant = new Grant(buckets, most, granted, threads);
      if (grant.pass()) {
        return grant.bytes();
      }
      wasHeldBack = true;
      return 0;
    }

    /** Whether it is, or may be. */
    private boolean isOfClass(LimitTable table) {
      return table.hasClasses() && (own().isUndecided(table) || !own().buckets(table).isEmpty());
    }

    private DownloadClasses.OfOne own() {
      DownloadClasses.OfOne known = own;
      if (known == null) {
        known = classes.new OfOne(request, credentials);
        own = known;
      }
      return known;
    }
  }
}
