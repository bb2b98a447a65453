package io.artifactserver.rest.delivery.report;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.api.progress.RunningDownloads;
import io.artifactserver.rest.delivery.body.BodyPart;
import io.artifactserver.rest.delivery.body.TransferObserver;
import io.artifactserver.rest.delivery.body.TransferOutcome;
import io.artifactserver.rest.delivery.report.Deliveries.Delivery;
import io.artifactserver.rest.server.guard.PacedBody;
import java.time.Duration;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Tells a delivery which ranges of the artifact went out with one body: when it has come to its
 * end, and from time to time if it does not go out at once. Used for one body.
 */
public final class DeliveryObserver implements TransferObserver, RunningDownloads.Download {
  private final TransferObserver observer;
  private final Delivery delivery;
  private final RunningDownloads running;
  private final Iterator<BodyPart> parts;

  /** The body while others look at it; null if it never waited, or has ended. */
  private volatile @Nullable PacedBody body;

  private volatile long beginNanos;

  // Guarded by this object.
  private @Nullable BodyPart part;
  private long toldOfPart;
  private long told;

  /**
   * @param observer told of everything
   * @param running looks after it if it takes long
   * @param parts of the body
   */
  public DeliveryObserver(
      TransferObserver observer,
      Delivery delivery,
      RunningDownloads running,
      Iterator<BodyPart> parts) {
    this.observer = observer;
    this.delivery = delivery;
    this.running = running;
    this.parts = parts;
  }

  @Override
  public void waiting(PacedBody waiting, long begin) {
    if (body == null) {
      beginNanos = begin;
      body = waiting;
      running.add(this);
    }
  }

  @Override
  public void takeDown() {
    PacedBody known = body;
    if (known != null) {
      tell(known.taken(), Duration.ofNanos(System.nanoTime() - beginNanos));
    }
  }

  @Override
  public long taken() {
    PacedBody known = body;
    return known == null ? 0 : known.taken();
  }

  @Override
  public void transferred(TransferOutcome outcome) {
    if (body != null) {
      running.remove(this);
      body = null;
    }
    tell(outcome.bytes(), outcome.duration());
    delivery.ended(outcome.ending());
    observer.transferred(outcome);
  }

  @Override
  public void lost(StorageException.BlobLost loss) {
    observer.lost(loss);
  }

  /**
   * @param taken bytes of the body
   * @param took how long that took
   */
  private synchronized void tell(long taken, Duration took) {
    while (told < taken && (part != null || parts.hasNext())) {
      BodyPart current = part == null ? parts.next() : part;
      long length =
          switch (current) {
            case BodyPart.Framing(var bytes) -> bytes.remaining();
            case BodyPart.Stored(var range) -> range.length();
          };
      long more = Math.min(taken - told, length - toldOfPart);
      if (current instanceof BodyPart.Stored(var range)) {
        delivery.delivered(new ByteRange(range.position() + toldOfPart, more), took);
      }
      told += more;
      toldOfPart += more;
      boolean isOver = toldOfPart == length;
      part = isOver ? null : current;
      toldOfPart = isOver ? 0 : toldOfPart;
    }
  }
}
