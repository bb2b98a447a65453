package io.artifactserver.rest.delivery.answer;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.derive.FramedChunk;
import io.artifactserver.core.limit.DownloadQueue;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.api.progress.RunningDownloads;
import io.artifactserver.rest.delivery.body.BodyPart;
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
import io.artifactserver.rest.http.MultipartByteRanges;
import io.artifactserver.rest.http.ResponsePlan;
import io.artifactserver.rest.problem.Problems;
import io.artifactserver.rest.server.guard.Pace;
import java.net.URI;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
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

  /**
   * Answers as planned, and completes the callback. Does not block.
   *
   * @param delivery to be told what the device is sent; null if nobody is
   * @param throttle how fast it may be sent; null if there is no limit
   * @param again answers from the beginning when the download has waited for its turn
   */
  public void emit(
      Exchange exchange,
      Served served,
      ResponsePlan plan,
      @Nullable Delivery delivery,
      Throttles.@Nullable OfDownload throttle,
      Consumer<Exchange> again) {
    if (delivery != null) {
      observe(exchange.request(), served, plan, delivery);
    }
    if (throttle != null && hasBody(exchange, plan)) {
      exchange.request().setAttribute(BodySender.THROTTLE, throttle);
      Optional<DownloadQueue> queue = throttle.queue();
      if (queue.isPresent()) {
        enqueue(exchange, throttle, queue.get(), again);
        return;
      }
    }
    if (served.redirects()
        && (throttle == null || !throttle.isLimited())
        && served.bytes() instanceof Served.Bytes.Stored(BlobRef ref)
        && isForBackend(exchange, plan)) {
      threads.open(Wait.REMOTE, () -> redirect(exchange, served, ref, plan));
    } else {
      answer(exchange, served, plan);
    }
  }

  private static boolean hasBody(Exchange exchange, ResponsePlan plan) {
    return switch (plan) {
      case ResponsePlan.Whole _, ResponsePlan.Single _, ResponsePlan.Multiple _ ->
          !exchange.isHead();
      case ResponsePlan.NotModified _,
          ResponsePlan.PreconditionFailed _,
          ResponsePlan.RangeNotSatisfiable _ ->
          false;
    };
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

  /** The body's transfer finds its observer with the request. */
  private void observe(Request request, Served served, ResponsePlan plan, Delivery delivery) {
    long length = served.representation().length();
    Iterator<BodyPart> parts =
        switch (plan) {
          case ResponsePlan.Whole _ -> BodyPart.of(ByteRange.whole(length));
          case ResponsePlan.Single(ByteRange range) -> BodyPart.of(range);
          case ResponsePlan.Multiple(List<ByteRange> ranges) ->
              BodyPart.of(new MultipartByteRanges(ranges, served.mediaType(), length));
          default -> Collections.emptyIterator();
        };
    request.setAttribute(
        BodySender.OBSERVER, new DeliveryObserver(observer, delivery, running, parts));
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

  private void redirect(Exchange exchange, Served served, BlobRef ref, ResponsePlan plan) {
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
      answer(exchange, served, plan);
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

  private void answer(Exchange exchange, Served served, ResponsePlan plan) {
    long length = served.representation().length();
    switch (plan) {
      case ResponsePlan.Whole _ -> {
        begin(exchange, HttpStatus.OK_200, served, served.mediaType(), length);
        if (length == 0 || exchange.isHead()) {
          exchange.endWithoutBody();
        } else {
          sendWhole(exchange, served, length);
        }
      }
      case ResponsePlan.Single(ByteRange range) -> {
        begin(exchange, HttpStatus.PARTIAL_CONTENT_206, served, served.mediaType(), range.length());
        exchange
            .response()
            .getHeaders()
            .put(HttpHeader.CONTENT_RANGE, ContentRange.of(range, length));
        if (exchange.isHead()) {
          exchange.endWithoutBody();
        } else {
          bodies.send(exchange, served, range, List.of(range), BodyPart.of(range));
        }
      }
      case ResponsePlan.Multiple(List<ByteRange> ranges) -> {
        MultipartByteRanges multipart = new MultipartByteRanges(ranges, served.mediaType(), length);
        begin(
            exchange,
            HttpStatus.PARTIAL_CONTENT_206,
            served,
            multipart.contentType(),
            multipart.length());
        if (exchange.isHead()) {
          exchange.endWithoutBody();
        } else {
          bodies.send(exchange, served, ByteRange.whole(length), ranges, BodyPart.of(multipart));
        }
      }
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
    }
  }

  private void sendWhole(Exchange exchange, Served served, long length) {
    if (served.bytes() instanceof Served.Bytes.Framed(BlobRef _, FramedChunk chunk)) {
      List<ByteRange> ranges = chunk.pieces().stream().map(FramedChunk.Piece::range).toList();
      bodies.send(exchange, served, chunk.covering(), ranges, BodyPart.of(chunk));
    } else {
      ByteRange whole = ByteRange.whole(length);
      bodies.send(exchange, served, whole, List.of(whole), BodyPart.of(whole));
    }
  }

  private static HttpFields validator(HttpFields validators) {
    return HttpFields.from(validators.getField(HttpHeader.ETAG));
  }

  private static void begin(
      Exchange exchange, int status, Served served, String contentType, long contentLength) {
    exchange.response().setStatus(status);
    HttpFields.Mutable fields = exchange.response().getHeaders();
    fields
        .add(status == HttpStatus.PARTIAL_CONTENT_206 ? served.partFields() : served.fields())
        .put(HttpHeader.CONTENT_TYPE, contentType)
        .put(HttpHeader.CONTENT_LENGTH, contentLength);
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
