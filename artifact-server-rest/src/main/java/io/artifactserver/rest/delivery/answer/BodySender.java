package io.artifactserver.rest.delivery.answer;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.rest.delivery.body.BodySource;
import io.artifactserver.rest.delivery.body.InlineRegion;
import io.artifactserver.rest.delivery.body.MappedBody;
import io.artifactserver.rest.delivery.body.ReadBody;
import io.artifactserver.rest.delivery.body.Run;
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
final class BodySender {
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

  /** Sends the body, behind status and fields. */
  void send(Sending sending) {
    Served served = sending.served();
    if (served.bytes() instanceof Served.Bytes.Inline(ByteBuffer bytes)) {
      sendMapped(sending, new InlineRegion(bytes), 0, FileSender.NONE);
      return;
    }
    try {
      Blob blob = served.bytes().blob(stores).orElseThrow();
      threads.open(blob.waitToOpen(), () -> sendStored(sending, blob));
    } catch (StorageException e) {
      fail(sending.exchange(), served, e);
    }
  }

  private void sendStored(Sending sending, Blob blob) {
    Exchange exchange = sending.exchange();
    Body body = sending.body();
    try {
      Optional<FileRegion> region = blob.fileRegion(body.covering());
      if (region.isPresent()) {
        FileSender sender = FileSender.of(exchange.request());
        sendMapped(sending, region.get(), body.covering().position(), sender);
      } else {
        List<Run> runs = Run.of(body.ranges(), blob.pieceLength());
        sendRead(
            sending, new ReadBody(blob, runs, body.parts().get(), pool(exchange), largeBuffers));
      }
    } catch (StorageException e) {
      fail(exchange, sending.served(), e);
    } catch (RuntimeException e) {
      exchange.fail(e);
    }
  }

  private void sendMapped(Sending sending, FileRegion region, long origin, FileSender sender) {
    MappedBody body =
        new MappedBody(
            region, origin, sending.body().parts().get(), pool(sending.exchange()), sender);
    transfer(sending, body, TransferOutcome.Kind.MAPPED);
  }

  private static ByteBufferPool pool(Exchange exchange) {
    return exchange.request().getComponents().getByteBufferPool();
  }

  private void sendRead(Sending sending, ReadBody body) {
    try {
      body.open();
      threads.read(body.waitToPrepare(), () -> begin(sending, body));
    } catch (StorageException e) {
      body.close();
      fail(sending.exchange(), sending.served(), e);
    } catch (RuntimeException e) {
      body.close();
      sending.exchange().fail(e);
    }
  }

  /** The first piece is there before anything is sent, so that a failure can be an answer. */
  private void begin(Sending sending, ReadBody body) {
    try {
      body.prepare();
    } catch (StorageException e) {
      body.close();
      fail(sending.exchange(), sending.served(), e);
      return;
    } catch (RuntimeException | Error e) {
      body.close();
      sending.exchange().fail(e);
      return;
    }
    transfer(sending, body, TransferOutcome.Kind.READ);
  }

  private void transfer(Sending sending, BodySource body, TransferOutcome.Kind kind) {
    Exchange exchange = sending.exchange();
    new Transfer(
            exchange.response(),
            Callback.from(exchange.callback()::succeeded, exchange::fail),
            body,
            paces.apply(exchange.request()),
            sending.throttle(),
            threads,
            kind,
            sending.observer())
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
