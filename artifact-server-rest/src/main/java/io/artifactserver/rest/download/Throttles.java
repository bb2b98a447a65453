package io.artifactserver.rest.download;

import io.artifactserver.core.access.SignedLink;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.limit.DownloadQueue;
import io.artifactserver.core.limit.Lane;
import io.artifactserver.core.limit.LimitBook;
import io.artifactserver.core.limit.TokenBucket;
import io.artifactserver.rest.auth.Credentials;
import io.artifactserver.rest.download.body.Throttle;
import io.artifactserver.rest.limit.PaceThreads;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Finds out how fast a request may be answered. Thread-safe; nothing blocks. */
final class Throttles {
  private final LimitBook book;
  private final ArtifactCatalog catalog;
  private final PaceThreads threads;

  Throttles(LimitBook book, ArtifactCatalog catalog, PaceThreads threads) {
    this.book = book;
    this.catalog = catalog;
    this.threads = threads;
  }

  /** Returns the limits of one download, which follows what changes while it runs. */
  OfDownload of(Target target, Credentials credentials) {
    SignedLink link = credentials.link();
    long rate = link == null ? 0 : link.terms().rate();
    return new OfDownload(
        target, rate == 0 ? null : new TokenBucket(rate, System::nanoTime, threads));
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

  /** The limits of one download. */
  final class OfDownload implements Throttle {
    private final Target target;
    private final @Nullable TokenBucket ofLink;

    private OfDownload(Target target, @Nullable TokenBucket ofLink) {
      this.target = target;
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

    /** Runs what sends a body whose turn it is. */
    void execute(Runnable task) {
      threads.execute(task);
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
      Request request = new Request(shared, most, granted);
      return request.pass() ? request.bytes : 0;
    }

    /** Passes the buckets one after the other. Used by one thread at a time. */
    private final class Request {
      private final List<TokenBucket> shared;
      private final long bytes;
      private final LongConsumer granted;
      private int next;

      private Request(List<TokenBucket> shared, long most, LongConsumer granted) {
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
