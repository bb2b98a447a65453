package io.artifactserver.rest.download;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.limit.LimitTable;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.auth.Credentials;
import io.artifactserver.rest.connection.Connections;
import io.artifactserver.rest.connection.Pace;
import io.artifactserver.rest.download.Deliveries.Delivery;
import io.artifactserver.rest.download.Resolver.Resolution;
import io.artifactserver.rest.download.body.BodyPart;
import io.artifactserver.rest.download.body.MappedBody;
import io.artifactserver.rest.download.body.Transfer;
import io.artifactserver.rest.download.body.TransferObserver;
import io.artifactserver.rest.download.body.TransferOutcome;
import io.artifactserver.rest.engine.FileSender;
import io.artifactserver.rest.engine.RangeResponder;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.jspecify.annotations.Nullable;

/**
 * Lets connections that ask for range after range of one artifact serve them without a handler, as
 * long as the caller may read it, it is what it was, and the bytes are in memory. What decides an
 * answer beside the request is asked again with every range. Thread-safe.
 */
final class RepeatedRanges {
  private final Resolver resolver;
  private final BlobStores stores;
  private final TransferObserver observer;
  private final Connections connections;
  private final Throttles throttles;
  private final Counter repeated;

  RepeatedRanges(
      Resolver resolver,
      BlobStores stores,
      TransferObserver observer,
      Connections connections,
      Throttles throttles,
      MeterRegistry registry) {
    this.resolver = resolver;
    this.stores = stores;
    this.observer = observer;
    this.connections = connections;
    this.throttles = throttles;
    this.repeated =
        Counter.builder("artifact_server.requests.repeated")
            .description("Requests like their connection's last, which it answered by itself")
            .register(registry);
  }

  /**
   * To be called before a request is answered.
   *
   * @param served what its target is
   * @param delivery to be told what the device is sent; null if nobody is
   */
  void offer(
      Request request,
      Target target,
      Credentials credentials,
      Served served,
      @Nullable Delivery delivery) {
    FileSender sender = FileSender.of(request);
    if (sender.repeats() && served.bytes().isRepeated()) {
      Server server = request.getConnectionMetaData().getConnector().getServer();
      LimitTable limits = throttles.table();
      // What wants to see each request sees each.
      if (!served.redirects()
          && server.getRequestLog() == null
          && throttles.canTakeNow(limits, request, target, credentials)
          && connections.pace(request).equals(Pace.UNWATCHED)) {
        sender.repeat(
            new Responder(
                target,
                credentials,
                limits,
                served,
                sender,
                request.getComponents().getByteBufferPool(),
                delivery,
                server.getDescendant(ActiveRequests.class)));
      }
    }
  }

  /** Belongs to one connection. Immutable. */
  private final class Responder implements RangeResponder {
    private final Target target;
    private final Credentials credentials;
    private final LimitTable limits;
    private final Served served;
    private final FileSender sender;
    private final ByteBufferPool pool;
    private final @Nullable Delivery delivery;
    private final @Nullable ActiveRequests active;

    /**
     * @param limits that apply to the connection's requests
     * @param active counts what a graceful stop waits for; null if nothing does
     */
    private Responder(
        Target target,
        Credentials credentials,
        LimitTable limits,
        Served served,
        FileSender sender,
        ByteBufferPool pool,
        @Nullable Delivery delivery,
        @Nullable ActiveRequests active) {
      this.target = target;
      this.credentials = credentials;
      this.limits = limits;
      this.served = served;
      this.sender = sender;
      this.pool = pool;
      this.delivery = delivery;
      this.active = active;
    }

    @Override
    public @Nullable Body open(ByteRange range) {
      if (range.length() > MappedBody.MAX_SLICE
          || connections.isRefusing()
          || !throttles.isStill(limits)
          || !isUnchanged()) {
        return null;
      }
      try {
        Blob blob = served.bytes().blob(stores).orElseThrow();
        Optional<FileRegion> region =
            blob.waitToOpen() == Wait.NONE ? blob.fileRegion(range) : Optional.empty();
        if (region.isEmpty()) {
          return null;
        }
        MappedBody body =
            new MappedBody(region.get(), range.position(), BodyPart.of(range), pool, sender);
        if (body.isReady() && throttles.takeNow(limits, target, range.length())) {
          return new Sending(
              body, body.next(MappedBody.MAX_SLICE), range.position(), delivery, active);
        }
        body.close();
        return null;
      } catch (StorageException | RuntimeException e) {
        // Where the request is handled the failure becomes an answer.
        return null;
      }
    }

    /** By identity: while nothing changed the resolver hands out the same object. */
    @SuppressWarnings("ReferenceEquality")
    private boolean isUnchanged() {
      return resolver.peek(target, credentials).orElse(null) instanceof Resolution.Found(Served now)
          && now == served;
    }
  }

  /** One range on its way. */
  private final class Sending implements RangeResponder.Body {
    private final long startNanos = System.nanoTime();
    private final MappedBody body;
    private final ByteBuffer bytes;
    private final long length;
    private final long position;
    private final @Nullable Delivery delivery;
    private final @Nullable ActiveRequests active;

    private Sending(
        MappedBody body,
        ByteBuffer bytes,
        long position,
        @Nullable Delivery delivery,
        @Nullable ActiveRequests active) {
      this.body = body;
      this.bytes = bytes;
      this.length = bytes.remaining();
      this.position = position;
      this.delivery = delivery;
      this.active = active;
      if (active != null) {
        active.begin();
      }
    }

    @Override
    public ByteBuffer bytes() {
      return bytes;
    }

    @Override
    public void succeeded() {
      end(TransferOutcome.Ending.COMPLETE);
    }

    @Override
    public void failed(Throwable cause) {
      end(Transfer.ending(cause));
    }

    private void end(TransferOutcome.Ending ending) {
      repeated.increment();
      long sent = length - bytes.remaining();
      body.close();
      if (active != null) {
        active.end();
      }
      Duration duration = Duration.ofNanos(System.nanoTime() - startNanos);
      if (delivery != null) {
        delivery.delivered(new ByteRange(position, sent), duration);
        delivery.ended(ending);
      }
      observer.transferred(
          new TransferOutcome(TransferOutcome.Kind.MAPPED, ending, sent, duration));
    }
  }
}
