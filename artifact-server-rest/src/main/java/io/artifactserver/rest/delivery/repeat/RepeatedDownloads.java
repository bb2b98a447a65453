package io.artifactserver.rest.delivery.repeat;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.limit.LimitTable;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.delivery.address.Target;
import io.artifactserver.rest.delivery.body.BodyPart;
import io.artifactserver.rest.delivery.body.MappedBody;
import io.artifactserver.rest.delivery.body.Transfer;
import io.artifactserver.rest.delivery.body.TransferObserver;
import io.artifactserver.rest.delivery.body.TransferOutcome;
import io.artifactserver.rest.delivery.pace.Throttles;
import io.artifactserver.rest.delivery.report.Deliveries.Delivery;
import io.artifactserver.rest.delivery.resolve.Resolution;
import io.artifactserver.rest.delivery.resolve.Resolver;
import io.artifactserver.rest.delivery.resolve.Served;
import io.artifactserver.rest.front.ActiveRequests;
import io.artifactserver.rest.server.engine.FileSender;
import io.artifactserver.rest.server.engine.RangeResponder;
import io.artifactserver.rest.server.engine.RepeatedBody;
import io.artifactserver.rest.server.guard.Connections;
import io.artifactserver.rest.server.guard.Pace;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;

/**
 * Lets connections that ask for range after range of one artifact serve them without a handler, as
 * long as the caller may read them and the bytes are in memory. Everything else that decides an
 * answer is asked again with each request. Thread-safe.
 */
public final class RepeatedDownloads {
  private final Resolver resolver;
  private final BlobStores stores;
  private final TransferObserver observer;
  private final Connections connections;
  private final Throttles throttles;
  private final Counter repeated;

  public RepeatedDownloads(
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
   * @param served its target, as it is served
   * @param delivery to be told what the device is sent; null if nobody is
   */
  public void offer(
      Request request,
      Target target,
      Credentials credentials,
      Served served,
      @Nullable Delivery delivery) {
    FileSender sender = FileSender.of(request);
    if (!sender.repeats()) {
      return;
    }
    Server server = request.getConnectionMetaData().getConnector().getServer();
    LimitTable limits = throttles.table();
    // Logs, limits and pace that need each request see each.
    if (served.redirects()
        || server.getRequestLog() != null
        || !throttles.canTakeNow(limits, request, target, credentials)
        || !connections.pace(request).equals(Pace.UNWATCHED)) {
      return;
    }
    Same same = new Same(credentials, limits, delivery, server.getDescendant(ActiveRequests.class));
    if (served.bytes().isRepeated()) {
      ByteBufferPool pool = request.getComponents().getByteBufferPool();
      RangeResponder ranges = range -> open(range, same, target, served, sender, pool);
      sender.repeat(ranges);
    }
  }

  /** The same as {@link Resolver#peek}; null if a handler has to see the request. */
  private @Nullable Served peek(Target target, Same same) {
    return !connections.isRefusing()
            && throttles.isStill(same.limits)
            && resolver.peek(target, same.credentials).orElse(null)
                instanceof Resolution.Found(var found)
        ? found
        : null;
  }

  /** The region of a blob; empty if it is not mapped. No I/O. */
  private Optional<FileRegion> region(Served served, ByteRange range) throws StorageException {
    Blob blob = served.bytes().blob(stores).orElseThrow();
    return blob.waitToOpen() == Wait.NONE ? blob.fileRegion(range) : Optional.empty();
  }

  /**
   * The state that all repeated requests of a connection share. Immutable.
   *
   * @param limits that apply to them
   * @param delivery to be told what the device is sent; null if nobody is
   * @param active counts what a graceful stop waits for; null if nothing does
   */
  private record Same(
      Credentials credentials,
      LimitTable limits,
      @Nullable Delivery delivery,
      @Nullable ActiveRequests active) {}

  /** By identity: while nothing changed the resolver hands out the same object. */
  @SuppressWarnings("ReferenceEquality")
  private @Nullable RepeatedBody open(
      ByteRange range,
      Same same,
      Target target,
      Served served,
      FileSender sender,
      ByteBufferPool pool) {
    if (range.length() > MappedBody.MAX_SLICE || peek(target, same) != served) {
      return null;
    }
    try {
      Optional<FileRegion> region = region(served, range);
      if (region.isEmpty()) {
        return null;
      }
      MappedBody body =
          new MappedBody(region.get(), range.position(), BodyPart.of(range), pool, sender);
      Runnable leave =
          body.isReady() ? throttles.takeNow(same.limits, target, range.length()) : null;
      if (leave == null) {
        body.close();
        return null;
      }
      try {
        ByteBuffer[] bytes = {body.next(MappedBody.MAX_SLICE)};
        return new Sending(bytes, body::close, leave, range.position(), same);
      } catch (StorageException | RuntimeException e) {
        leave.run();
        body.close();
        throw e;
      }
    } catch (StorageException | RuntimeException e) {
      // Where the request is handled the failure becomes an answer.
      return null;
    }
  }

  /** A body on its way. */
  private final class Sending implements RepeatedBody {
    private final long startNanos = System.nanoTime();
    private final ByteBuffer[] buffers;
    private final Runnable close;
    private final long length;
    private final long position;
    private final Same same;

    /** Does nothing from the second time on. */
    private Runnable leave;

    /**
     * @param leave runs when all is sent, or waits for the client: for others who wait
     * @param position of the first byte, for the delivery
     */
    private Sending(
        ByteBuffer[] buffers, Runnable close, Runnable leave, long position, Same same) {
      this.buffers = buffers;
      this.close = close;
      this.leave = leave;
      this.length = BufferUtil.remaining(buffers);
      this.position = position;
      this.same = same;
      if (same.active != null) {
        same.active.begin();
      }
    }

    @Override
    public ByteBuffer[] buffers() {
      return buffers;
    }

    @Override
    public void waits() {
      leave.run();
      leave = () -> {};
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
      long sent = length - BufferUtil.remaining(buffers);
      close.run();
      leave.run();
      if (same.active != null) {
        same.active.end();
      }
      Duration duration = Duration.ofNanos(System.nanoTime() - startNanos);
      if (same.delivery != null) {
        same.delivery.delivered(new ByteRange(position, sent), duration);
        same.delivery.ended(ending);
      }
      observer.transferred(
          new TransferOutcome(TransferOutcome.Kind.MAPPED, ending, sent, duration));
    }
  }
}
