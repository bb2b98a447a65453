package io.artifactserver.rest.download;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.SignedLink;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.limit.DownloadQueue;
import io.artifactserver.core.limit.Lane;
import io.artifactserver.core.limit.LimitBook;
import io.artifactserver.core.limit.TokenBucket;
import io.artifactserver.rest.auth.Authentication;
import io.artifactserver.rest.auth.Authenticator;
import io.artifactserver.rest.auth.Credentials;
import io.artifactserver.rest.connection.Connections;
import io.artifactserver.rest.download.body.Throttle;
import io.artifactserver.rest.engine.Http2Connections;
import io.artifactserver.rest.limit.PaceThreads;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** Finds out how fast a request may be answered. Thread-safe; nothing blocks. */
final class Throttles {
  private final LimitBook book;
  private final ArtifactCatalog catalog;
  private final PaceThreads threads;
  private final Connections connections;
  private final Authenticator authenticator;

  Throttles(
      LimitBook book,
      ArtifactCatalog catalog,
      PaceThreads threads,
      Connections connections,
      Authenticator authenticator) {
    this.book = book;
    this.catalog = catalog;
    this.threads = threads;
    this.connections = connections;
    this.authenticator = authenticator;
  }

  /** Returns the limits of one download, which follows what changes while it runs. */
  OfDownload of(Target target, Credentials credentials) {
    SignedLink link = credentials.link();
    long rate = link == null ? 0 : link.terms().rate();
    return new OfDownload(
        target, credentials, rate == 0 ? null : new TokenBucket(rate, System::nanoTime, threads));
  }

  /** Whether a request like this one is answered as fast as can be, as things stand. */
  boolean isFree(Target target, Credentials credentials) {
    SignedLink link = credentials.link();
    return (link == null || link.terms().rate() == 0) && lane(target).isOpen();
  }

  private Lane lane(Target target) {
    if (book.isEmpty()) {
      return book.open();
    }
    return switch (target) {
      case Target.OfArtifact(ArtifactId id) -> book.lane(id.repository());
      case Target.OfContentIn in -> book.lane(in.repository());
      case Target.OfContent(Digest digest) -> narrowest(digest);
      case Target.Granted _ -> book.open();
    };
  }

  /** An address without a repository is no way around a limit. */
  private Lane narrowest(Digest digest) {
    return catalog.peekContent(digest).stream()
        .flatMap(content -> content.repositories().stream())
        .min(
            Comparator.comparingLong(repository -> book.limits(repository.name()).bytesPerSecond()))
        .map(repository -> book.lane(repository.name()))
        .orElseGet(book::open);
  }

  /**
   * Whom a place in a queue counts for.
   *
   * @param address null if it says nothing
   * @param caller empty if nobody knows
   */
  private record Client(@Nullable Object address, String caller) {}

  /** The limits of one download. */
  final class OfDownload implements Throttle {
    private final Target target;
    private final Credentials credentials;
    private final @Nullable TokenBucket ofLink;

    private OfDownload(Target target, Credentials credentials, @Nullable TokenBucket ofLink) {
      this.target = target;
      this.credentials = credentials;
      this.ofLink = ofLink;
    }

    /** Whether another server must not send the body instead. */
    boolean isLimited() {
      return ofLink != null || queue().isPresent();
    }

    /** Returns where the download waits for its turn; empty if it need not. */
    Optional<DownloadQueue> queue() {
      return lane(target).queue();
    }

    /**
     * Waits for its turn in a queue. Does not block.
     *
     * @param begin sends the answer when it is its turn, unless the client has gone
     * @param left runs if the client goes before
     * @return false if the queue is full
     */
    boolean enter(
        DownloadQueue queue,
        Request request,
        Consumer<DownloadQueue.Place> begin,
        Consumer<Throwable> left) {
      Http2Connections.hold(request);
      Optional<DownloadQueue.Place> entered =
          queue.enter(
              client(request),
              place ->
                  threads.execute(() -> {
                    release(request);
                    begin.accept(place);
                  }));
      if (entered.isEmpty()) {
        release(request);
        return false;
      }
      DownloadQueue.Place place = entered.get();
      if (place.isWaiting()) {
        Consumer<Throwable> leave =
            failure -> {
              if (place.leave()) {
                left.accept(failure);
              }
            };
        // HTTP/2 tells it; over HTTP/1.1 nothing is read before the answer.
        request.addFailureListener(leave);
        connections.hold(
            request, () -> leave.accept(new EofException("The client left its place")));
        if (!place.isWaiting()) {
          release(request);
        }
      }
      return true;
    }

    private void release(Request request) {
      Http2Connections.release(request);
      connections.release(request);
    }

    /**
     * Devices of a site may share an address, and those of a fleet a token. Nobody vouches for
     * strangers behind a trusted proxy: each request is one of its own.
     */
    private Object client(Request request) {
      @Nullable Object address = connections.client(request);
      String caller =
          authenticator.peek(credentials) instanceof Authentication.Known(Caller known)
              ? known.id() + ' ' + known.name()
              : "";
      return address == null && caller.isEmpty() ? request : new Client(address, caller);
    }

    @Override
    public boolean holdsBack() {
      return ofLink != null || !lane(target).buckets().isEmpty();
    }

    @Override
    public long take(long most, LongConsumer granted) {
      List<TokenBucket> shared = lane(target).buckets();
      if (ofLink == null && shared.isEmpty()) {
        return ANY;
      }
      Grant grant = new Grant(shared, most, granted);
      return grant.pass() ? grant.bytes : 0;
    }

    /** Passes the buckets one after the other. Used by one thread at a time. */
    private final class Grant {
      private final List<TokenBucket> shared;
      private final long bytes;
      private final LongConsumer granted;
      private int next;

      private Grant(List<TokenBucket> shared, long most, LongConsumer granted) {
        this.shared = shared;
        this.granted = granted;
        long least = ofLink == null ? most : Math.min(most, ofLink.grantLength());
        for (TokenBucket bucket : shared) {
          least = Math.min(least, bucket.grantLength());
        }
        this.bytes = least;
        this.next = ofLink == null ? 0 : -1;
      }

      /** Returns false if a bucket wakes it up again. */
      private boolean pass() {
        while (next < shared.size()) {
          TokenBucket bucket = next < 0 && ofLink != null ? ofLink : shared.get(next);
          next++;
          if (!bucket.take(bytes, this::goOn)) {
            return false;
          }
        }
        return true;
      }

      private void goOn() {
        if (pass()) {
          // The timer has others to wake.
          threads.execute(() -> granted.accept(bytes));
        }
      }
    }
  }
}
