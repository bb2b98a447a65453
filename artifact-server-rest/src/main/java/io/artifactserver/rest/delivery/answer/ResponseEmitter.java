package io.artifactserver.rest.delivery.answer;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.limit.DownloadQueue;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.api.progress.RunningDownloads;
import io.artifactserver.rest.delivery.body.Throttle;
import io.artifactserver.rest.delivery.body.TransferObserver;
import io.artifactserver.rest.delivery.body.WaitingThreads;
import io.artifactserver.rest.delivery.pace.Throttles;
import io.artifactserver.rest.delivery.report.Deliveries.Delivery;
import io.artifactserver.rest.delivery.report.DeliveryObserver;
import io.artifactserver.rest.delivery.resolve.Served;
import io.artifactserver.rest.front.Exchange;
import io.artifactserver.rest.front.ProblemWriter;
import io.artifactserver.rest.http.ContentRange;
import io.artifactserver.rest.http.DigestFields;
import io.artifactserver.rest.http.ResponsePlan;
import io.artifactserver.rest.problem.Problems;
import io.artifactserver.rest.server.guard.Pace;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * The only writer of a download's response: sets status and fields as the plan says, and has the
 * body sent. Thread-safe.
 */
public final class ResponseEmitter {
  /** Devices that are told to come again come over this time, in seconds. */
  private static final int MAX_RETRY_AFTER = 10;

  private final BlobStores stores;
  private final ProblemWriter problems;
  private final TransferObserver observer;
  private final RunningDownloads running;
  private final WaitingThreads threads;
  private final boolean redirectsWithCredentials;
  private final BodySender bodies;

  /**
   * @param running looks after downloads that a delivery is told of
   * @param paces watch how fast clients take their bodies
   * @param threads for what waits
   * @param redirectsWithCredentials whether a request with credentials may be redirected
   */
  public ResponseEmitter(
      BlobStores stores,
      ProblemWriter problems,
      TransferObserver observer,
      RunningDownloads running,
      Function<Request, Pace> paces,
      WaitingThreads threads,
      boolean redirectsWithCredentials) {
    this.stores = stores;
    this.problems = problems;
    this.observer = observer;
    this.running = running;
    this.threads = threads;
    this.redirectsWithCredentials = redirectsWithCredentials;
    this.bodies = new BodySender(stores, problems, observer, paces, threads);
  }

  /** Answers as planned, and completes the callback. Does not block. */
  public void emit(Download download) {
    Exchange exchange = download.exchange();
    Served served = download.served();
    ResponsePlan plan = download.plan();
    Throttles.OfDownload throttle = download.throttle();
    Body body = Body.of(served, plan);
    if (throttle != null && body != null && !exchange.isHead()) {
      Optional<DownloadQueue> queue = throttle.queue();
      if (queue.isPresent()) {
        enqueue(exchange, throttle, queue.get(), download.again());
        return;
      }
    }
    if (body == null) {
      answerWithoutBody(exchange, served, plan);
      return;
    }
    Sending sending =
        new Sending(
            exchange,
            served,
            body,
            observer(download.delivery(), body),
            throttle == null ? Throttle.NONE : throttle);
    if (served.redirects()
        && (throttle == null || !throttle.isLimited())
        && served.bytes() instanceof Served.Bytes.Stored(BlobRef ref)
        && isForBackend(exchange, plan)) {
      threads.open(Wait.REMOTE, () -> redirect(sending, ref, plan));
    } else {
      answer(sending, plan);
    }
  }

  private TransferObserver observer(@Nullable Delivery delivery, Body body) {
    return delivery == null
        ? observer
        : new DeliveryObserver(observer, delivery, running, body.parts().get());
  }

  /** Answers when it is the download's turn. */
  private void enqueue(
      Exchange exchange,
      Throttles.OfDownload throttle,
      DownloadQueue queue,
      Consumer<Exchange> again) {
    boolean isEntered =
        throttle.enter(
            queue,
            place -> {
              Exchange leaving = exchange.telling(Callback.from(exchange.callback(), place::leave));
              try {
                again.accept(leaving);
              } catch (RuntimeException | Error e) {
                leaving.fail(e);
              }
            },
            exchange::fail);
    if (!isEntered) {
      problems.write(
          exchange,
          Problems.tooManyDownloads(),
          HttpFields.from(
              new HttpField(
                  HttpHeader.RETRY_AFTER,
                  String.valueOf(ThreadLocalRandom.current().nextInt(1, MAX_RETRY_AFTER + 1)))));
    }
  }

  /**
   * Whether the backend can answer: it does not know our validators, writes parts in its own way,
   * and signs an address for one method. A tag in If-Range that is not ours may be the backend's,
   * from a download it began. Clients that take their credentials along are refused there.
   */
  private boolean isForBackend(Exchange exchange, ResponsePlan plan) {
    HttpFields fields = exchange.request().getHeaders();
    if (exchange.isHead()
        || (!redirectsWithCredentials && fields.contains(HttpHeader.AUTHORIZATION))) {
      return false;
    }
    return switch (plan) {
      case ResponsePlan.Whole _ -> true;
      case ResponsePlan.Single _ -> !fields.contains(HttpHeader.IF_RANGE);
      default -> false;
    };
  }

  private void redirect(Sending sending, BlobRef ref, ResponsePlan plan) {
    Exchange exchange = sending.exchange();
    Served served = sending.served();
    Optional<URI> address;
    try {
      String disposition = served.fields().get(HttpHeader.CONTENT_DISPOSITION);
      address = stores.blob(ref).temporaryAddress(served.mediaType(), disposition);
    } catch (StorageException e) {
      bodies.fail(exchange, served, e);
      return;
    } catch (RuntimeException e) {
      exchange.fail(e);
      return;
    }
    if (address.isEmpty()) {
      answer(sending, plan);
      return;
    }
    // Only GET comes here; zsync and SWUpdate know no 307.
    exchange.response().setStatus(HttpStatus.FOUND_302);
    exchange
        .response()
        .getHeaders()
        .put(HttpHeader.LOCATION, address.get().toASCIIString())
        // It is signed for a short time, and for a caller who was let in.
        .put(HttpHeader.CACHE_CONTROL, "no-store")
        .put(HttpHeader.CONTENT_LENGTH, 0);
    exchange.endWithoutBody();
  }

  private void answer(Sending sending, ResponsePlan plan) {
    Exchange exchange = sending.exchange();
    boolean isWhole = plan instanceof ResponsePlan.Whole;
    begin(sending, isWhole ? HttpStatus.OK_200 : HttpStatus.PARTIAL_CONTENT_206);
    if (plan instanceof ResponsePlan.Single(ByteRange range)) {
      long complete = sending.served().representation().length();
      exchange
          .response()
          .getHeaders()
          .put(HttpHeader.CONTENT_RANGE, ContentRange.of(range, complete));
    }
    if (exchange.isHead() || sending.body().length() == 0) {
      exchange.endWithoutBody();
    } else {
      bodies.send(sending);
    }
  }

  private void answerWithoutBody(Exchange exchange, Served served, ResponsePlan plan) {
    long length = served.representation().length();
    switch (plan) {
      case ResponsePlan.NotModified _ -> {
        exchange.response().setStatus(HttpStatus.NOT_MODIFIED_304);
        // Left alone, Jetty would say 0, which RFC 9110, section 8.6, forbids.
        exchange
            .response()
            .getHeaders()
            .add(served.validators())
            .put(HttpHeader.CONTENT_LENGTH, length);
        exchange.endWithoutBody();
      }
      case ResponsePlan.PreconditionFailed _ ->
          problems.write(exchange, Problems.preconditionFailed(), validator(served.validators()));
      case ResponsePlan.RangeNotSatisfiable _ -> {
        // Without a body: clients that resume a whole file append it to the file.
        exchange.response().setStatus(HttpStatus.RANGE_NOT_SATISFIABLE_416);
        exchange
            .response()
            .getHeaders()
            .add(validator(served.validators()))
            .put(HttpHeader.CONTENT_RANGE, ContentRange.unsatisfied(length))
            .put(HttpHeader.ACCEPT_RANGES, "bytes")
            .put(HttpHeader.CACHE_CONTROL, "no-store")
            .put(HttpHeader.CONTENT_LENGTH, 0);
        exchange.endWithoutBody();
      }
      case ResponsePlan.Whole _, ResponsePlan.Single _, ResponsePlan.Multiple _ ->
          throw new IllegalArgumentException("It has a body: " + plan);
    }
  }

  private static HttpFields validator(HttpFields validators) {
    return HttpFields.from(validators.getField(HttpHeader.ETAG));
  }

  private static void begin(Sending sending, int status) {
    Exchange exchange = sending.exchange();
    Served served = sending.served();
    exchange.response().setStatus(status);
    HttpFields.Mutable fields = exchange.response().getHeaders();
    fields
        .add(status == HttpStatus.PARTIAL_CONTENT_206 ? served.partFields() : served.fields())
        .put(HttpHeader.CONTENT_TYPE, sending.body().mediaType())
        .put(HttpHeader.CONTENT_LENGTH, sending.body().length());
    if (served.bytes() instanceof Served.Bytes.Framed) {
      return;
    }
    String wantReprDigest = exchange.request().getHeaders().get("Want-Repr-Digest");
    if (wantReprDigest != null) {
      fields.put("Repr-Digest", DigestFields.reprDigest(served.digests(), wantReprDigest));
    }
    String wantDigest = exchange.request().getHeaders().get("Want-Digest");
    if (wantDigest != null) {
      DigestFields.digest(served.digests(), wantDigest)
          .ifPresent(value -> fields.put("Digest", value));
    }
  }
}
