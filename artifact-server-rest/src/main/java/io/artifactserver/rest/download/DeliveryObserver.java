package io.artifactserver.rest.download;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.download.Deliveries.Delivery;
import io.artifactserver.rest.download.body.BodyPart;
import io.artifactserver.rest.download.body.TransferObserver;
import io.artifactserver.rest.download.body.TransferOutcome;
import java.util.Iterator;

/**
 * Tells a delivery which ranges of the artifact went out with one body, when it has come to its
 * end. Used once.
 */
final class DeliveryObserver implements TransferObserver {
  private final TransferObserver observer;
  private final Delivery delivery;
  private final Iterator<BodyPart> parts;

  /**
   * @param observer told of everything
   * @param parts of the body
   */
  DeliveryObserver(TransferObserver observer, Delivery delivery, Iterator<BodyPart> parts) {
    this.observer = observer;
    this.delivery = delivery;
    this.parts = parts;
  }

  @Override
  public void transferred(TransferOutcome outcome) {
    long left = outcome.bytes();
    while (left > 0 && parts.hasNext()) {
      switch (parts.next()) {
        case BodyPart.Framing(var bytes) -> left -= bytes.remaining();
        case BodyPart.Stored(var range) -> {
          long length = Math.min(left, range.length());
          delivery.delivered(new ByteRange(range.position(), length));
          left -= length;
        }
      }
    }
    delivery.ended(outcome.ending());
    observer.transferred(outcome);
  }

  @Override
  public void damaged(StorageException.BlobCorrupt damage) {
    observer.damaged(damage);
  }
}
