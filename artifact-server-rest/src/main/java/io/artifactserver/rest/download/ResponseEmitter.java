package io.artifactserver.rest.download;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.derive.FramedChunk;
import io.artifactserver.core.limit.DownloadQueue;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.connection.Pace;
import io.artifactserver.rest.download.Deliveries.Delivery;
import io.artifactserver.rest.download.body.BodyPart;
import io.artifactserver.rest.download.body.TransferObserver;
import io.artifactserver.rest.download.body.WaitingThreads;
import io.artifactserver.rest.http.ContentRange;
import io.artifactserver.rest.http.DigestFields;
import io.artifactserver.rest.http.MultipartByteRanges;
import io.artifactserver.rest.http.ResponsePlan;
import io.artifactserver.rest.problem.Problems;
import io.artifactserver.rest.progress.RunningDownloads;
import java.net.URI;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
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
final class ResponseEmitter {
  /** Devices that are told to come again come over this time, in seconds. */
  private static final int MAX_RETRY_AFTER = 10;

  private final BlobStores stores;
  private final ProblemWriter problems;
  private final TransferObserver observer;
  private final RunningDownloads running;
  private final WaitingThreads threads;
  private final BodySender bodies;

  /**
   * @param running looks after downloads that a delivery is told of
   * @param paces watch how fast clients take their bodies
   * @param threads for what waits
   */
  ResponseEmitter(
      BlobStores stores,
      ProblemWriter problems,
      TransferObserver observer,
      RunningDownloads running,
      Function<Request, Pace> paces,
      WaitingThreads threads) {
    this.stores = stores;
    this.problems = problems;
    this.observer = observer;
    this.running = running;
    this.threads = threads;
    this.bodies = new BodySender(stores, problems, observer, paces, threads);
  }

  /**
   * Answers as planned, and completes the callback. Does not block.
   *
   * @param delivery to be told what the device is sent; null if nobody is
   * @param throttle how fast it may be sent; null if there is no limit
   */
  void emit(
      Exchange exchange,
      Served served,
      ResponsePlan plan,
      @Nullable Delivery delivery,
      Throttles.@Nullable OfDownload throttle) {
    if (delivery != null) {
      observe(exchange.request(), served, plan, delivery);
    }
    if (throttle != null && hasBody(exchange, plan)) {
      exchange.request().setAttribute(BodySender.THROTTLE, throttle);
      Optional<DownloadQueue> queue = throttle.queue();
      if (queue.isPresent()) {
        enqueue(exchange, served, plan, throttle, queue.get());
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
      case ResponsePlan.Whole _ -> !exchange.isHead();
      case ResponsePlan.Single _, ResponsePlan.Multiple _ -> true;
      case ResponsePlan.NotModified _,
          ResponsePlan.PreconditionFailed _,
          ResponsePlan.RangeNotSatisfiable _ ->
          false;
    };
  }

  /** Answers when it is the download's turn. */
  private void enqueue(
      Exchange exchange,
      Served served,
      ResponsePlan plan,
      Throttles.OfDownload throttle,
      DownloadQueue queue) {
    boolean isEntered =
        throttle.enter(
            queue,
            place -> {
              Exchange leaving = exchange.telling(Callback.from(exchange.callback(), place::leave));
              try {
                answer(leaving, served, plan);
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
   * from a download it began.
   */
  private static boolean isForBackend(Exchange exchange, ResponsePlan plan) {
    return switch (plan) {
      case ResponsePlan.Whole _ -> !exchange.isHead();
      case ResponsePlan.Single _ -> !exchange.request().getHeaders().contains(HttpHeader.IF_RANGE);
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
    exchange.response().setStatus(HttpStatus.TEMPORARY_REDIRECT_307);
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
        bodies.send(exchange, served, range, List.of(range), BodyPart.of(range));
      }
      case ResponsePlan.Multiple(List<ByteRange> ranges) -> {
        MultipartByteRanges multipart = new MultipartByteRanges(ranges, served.mediaType(), length);
        begin(
            exchange,
            HttpStatus.PARTIAL_CONTENT_206,
            served,
            multipart.contentType(),
            multipart.length());
        bodies.send(exchange, served, ByteRange.whole(length), ranges, BodyPart.of(multipart));
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
      case ResponsePlan.RangeNotSatisfiable(String reason) ->
          problems.write(
              exchange,
              Problems.rangeNotSatisfiable(reason, length),
              HttpFields.build()
                  .add(HttpHeader.CONTENT_RANGE, ContentRange.unsatisfied(length))
                  .add(HttpHeader.ACCEPT_RANGES, "bytes")
                  .add(validator(served.validators())));
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
