package io.artifactserver.rest.delivery.answer;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.delivery.body.BodyPart;
import io.artifactserver.rest.delivery.body.BodySource;
import io.artifactserver.rest.delivery.body.InlineRegion;
import io.artifactserver.rest.delivery.body.MappedBody;
import io.artifactserver.rest.delivery.body.ReadBody;
import io.artifactserver.rest.delivery.body.Run;
import io.artifactserver.rest.delivery.body.Throttle;
import io.artifactserver.rest.delivery.body.Transfer;
import io.artifactserver.rest.delivery.body.TransferObserver;
import io.artifactserver.rest.delivery.body.TransferOutcome;
import io.artifactserver.rest.delivery.body.WaitingThreads;
import io.artifactserver.rest.delivery.resolve.Served;
import io.artifactserver.rest.front.Exchange;
import io.artifactserver.rest.front.ProblemWriter;
import io.artifactserver.rest.log.FailureLog;
import io.artifactserver.rest.problem.Problems;
import io.artifactserver.rest.server.engine.FileSender;
import io.artifactserver.rest.server.guard.Pace;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;
import org.slf4j.LoggerFactory;

/**
 * Sends the bodies of downloads: opens what they need, waits for the first piece, and begins the
 * transfer. Thread-safe; nothing blocks.
 */
public final class BodySender {
  /** A request's attribute: the {@link TransferObserver} that is told of this one. */
  static final String OBSERVER = TransferObserver.class.getName();

  /** A request's attribute: the {@link Throttle} of this one. */
  public static final String THROTTLE = Throttle.class.getName();

  private static final FailureLog FAILURES =
      new FailureLog(LoggerFactory.getLogger(BodySender.class));

  /** 8 MiB together, a sixteenth of what the launcher allows for buffers. */
  private static final int LARGE_BUFFERS = 128;

  private final BlobStores stores;
  private final ProblemWriter problems;
  private final TransferObserver observer;
  private final Function<Request, Pace> paces;
  private final WaitingThreads threads;
  private final Semaphore largeBuffers = new Semaphore(LARGE_BUFFERS);

  /**
   * @param paces watch how fast clients take their bodies
   * @param threads for what waits
   */
  BodySender(
      BlobStores stores,
      ProblemWriter problems,
      TransferObserver observer,
      Function<Request, Pace> paces,
      WaitingThreads threads) {
    this.stores = stores;
    this.problems = problems;
    this.observer = observer;
    this.paces = paces;
    this.threads = threads;
  }

  /**
   * @param covering every stored part of the body
   * @param ranges that the body has
   */
  void send(
      Exchange exchange,
      Served served,
      ByteRange covering,
      List<ByteRange> ranges,
      Iterator<BodyPart> parts) {
    if (served.bytes() instanceof Served.Bytes.Inline(ByteBuffer bytes)) {
      sendMapped(exchange, new InlineRegion(bytes), 0, parts, FileSender.NONE);
      return;
    }
    try {
      Blob blob = served.bytes().blob(stores).orElseThrow();
      threads.open(
          blob.waitToOpen(), () -> sendStored(exchange, served, blob, covering, ranges, parts));
    } catch (StorageException e) {
      fail(exchange, served, e);
    }
  }

  private void sendStored(
      Exchange exchange,
      Served served,
      Blob blob,
      ByteRange covering,
      List<ByteRange> ranges,
      Iterator<BodyPart> parts) {
    try {
      Optional<FileRegion> region = blob.fileRegion(covering);
      if (region.isPresent()) {
        FileSender sender = FileSender.of(exchange.request());
        sendMapped(exchange, region.get(), covering.position(), parts, sender);
      } else {
        List<Run> runs = Run.of(ranges, blob.pieceLength());
        sendRead(exchange, served, new ReadBody(blob, runs, parts, pool(exchange), largeBuffers));
      }
    } catch (StorageException e) {
      fail(exchange, served, e);
    } catch (RuntimeException e) {
      exchange.fail(e);
    }
  }

  private void sendMapped(
      Exchange exchange,
      FileRegion region,
      long origin,
      Iterator<BodyPart> parts,
      FileSender sender) {
    MappedBody body = new MappedBody(region, origin, parts, pool(exchange), sender);
    transfer(exchange, body, TransferOutcome.Kind.MAPPED);
  }

  private static ByteBufferPool pool(Exchange exchange) {
    return exchange.request().getComponents().getByteBufferPool();
  }

  private void sendRead(Exchange exchange, Served served, ReadBody body) {
    try {
      body.open();
      threads.read(body.waitToPrepare(), () -> begin(exchange, served, body));
    } catch (StorageException e) {
      body.close();
      fail(exchange, served, e);
    } catch (RuntimeException e) {
      body.close();
      exchange.fail(e);
    }
  }

  /** The first piece is there before anything is sent, so that a failure can be an answer. */
  private void begin(Exchange exchange, Served served, ReadBody body) {
    try {
      body.prepare();
    } catch (StorageException e) {
      body.close();
      fail(exchange, served, e);
      return;
    } catch (RuntimeException | Error e) {
      body.close();
      exchange.fail(e);
      return;
    }
    transfer(exchange, body, TransferOutcome.Kind.READ);
  }

  private void transfer(Exchange exchange, BodySource body, TransferOutcome.Kind kind) {
    TransferObserver own =
        exchange.request().getAttribute(OBSERVER) instanceof TransferObserver asked
            ? asked
            : observer;
    Throttle throttle =
        exchange.request().getAttribute(THROTTLE) instanceof Throttle asked ? asked : Throttle.NONE;
    new Transfer(
            exchange.response(),
            Callback.from(exchange.callback()::succeeded, exchange::fail),
            body,
            paces.apply(exchange.request()),
            throttle,
            threads,
            kind,
            own)
        .iterate();
  }

  /** Nothing is sent yet, so the failure becomes an answer. */
  void fail(Exchange exchange, Served served, StorageException failure) {
    // Forms have no grace: it was looked up before it was dropped.
    boolean isDropped = failure instanceof StorageException.BlobNotFound && served.isForm();
    if (failure instanceof StorageException.BlobLost loss && !isDropped) {
      observer.lost(loss);
    }
    if (!(failure instanceof StorageException.BlobCorrupt)) {
      FAILURES.failed("Cannot serve " + exchange.request().getHttpURI().getPath(), failure);
    }
    exchange.response().reset();
    if (isDropped) {
      problems.write(exchange, Problems.dropped(), ProblemWriter.RETRY);
    } else {
      problems.write(exchange, Problems.of(failure), HttpFields.EMPTY);
    }
  }
}
