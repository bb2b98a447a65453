package io.artifactserver.rest.download;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.derive.FramedChunk;
import io.artifactserver.core.limit.DownloadQueue;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.connection.Pace;
import io.artifactserver.rest.download.Deliveries.Delivery;
import io.artifactserver.rest.download.body.BodyPart;
import io.artifactserver.rest.download.body.BodySource;
import io.artifactserver.rest.download.body.InlineRegion;
import io.artifactserver.rest.download.body.LargeBuffers;
import io.artifactserver.rest.download.body.MappedBody;
import io.artifactserver.rest.download.body.ReadBody;
import io.artifactserver.rest.download.body.Runs;
import io.artifactserver.rest.download.body.Throttle;
import io.artifactserver.rest.download.body.Transfer;
import io.artifactserver.rest.download.body.TransferObserver;
import io.artifactserver.rest.download.body.TransferOutcome;
import io.artifactserver.rest.download.body.WaitingThreads;
import io.artifactserver.rest.engine.FileSender;
import io.artifactserver.rest.http.ContentRange;
import io.artifactserver.rest.http.DigestFields;
import io.artifactserver.rest.http.MultipartByteRanges;
import io.artifactserver.rest.http.ResponsePlan;
import io.artifactserver.rest.problem.FailureLog;
import io.artifactserver.rest.problem.Problems;
import java.net.URI;
import java.nio.ByteBuffer;
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
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The only writer of a download's response: opens what the plan needs, then sets status and fields,
 * then transfers. Thread-safe.
 */
final class ResponseEmitter {
  private static final FailureLog FAILURES =
      new FailureLog(LoggerFactory.getLogger(ResponseEmitter.class));

  /** 8 MiB together, a sixteenth of what the launcher allows for buffers. */
  private static final int LARGE_BUFFERS = 128;

  private static final String OBSERVER = TransferObserver.class.getName();
  private static final String THROTTLE = Throttle.class.getName();

  /** Devices that are told to come again come over this time, in seconds. */
  private static final int MAX_RETRY_AFTER = 10;

  /** zsync asks for 20 ranges at a time, zchunk for 167. */
  private static final int MAX_RUNS = 512;

  private final BlobStores stores;
  private final ProblemWriter problems;
  private final TransferObserver observer;
  private final Function<Request, Pace> paces;
  private final WaitingThreads threads;
  private final LargeBuffers largeBuffers = new LargeBuffers(LARGE_BUFFERS);

  /**
   * @param paces watch how fast clients take their bodies
   * @param threads for what waits
   */
  ResponseEmitter(
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
   * Answers as planned, and completes the callback. Does not block.
   *
   * @param delivery to be told what the device is sent; null if nobody is
   * @param throttle how fast it may be sent; null if there is no limit
   */
  void emit(
      Request request,
      Response response,
      Callback callback,
      Served served,
      ResponsePlan plan,
      @Nullable Delivery delivery,
      Throttles.@Nullable OfDownload throttle) {
    if (delivery != null) {
      observe(request, served, plan, delivery);
    }
    if (throttle != null && hasBody(request, plan)) {
      request.setAttribute(THROTTLE, throttle);
      Optional<DownloadQueue> queue = throttle.queue();
      if (queue.isPresent()) {
        enqueue(request, response, callback, served, plan, throttle, queue.get());
        return;
      }
    }
    if (served.redirects()
        && (throttle == null || !throttle.isLimited())
        && served.bytes() instanceof Served.Bytes.Stored(BlobRef ref)
        && isForBackend(request, plan)) {
      threads.open(Wait.REMOTE, () -> redirect(request, response, callback, served, ref, plan));
    } else {
      answer(request, response, callback, served, plan);
    }
  }

  private static boolean hasBody(Request request, ResponsePlan plan) {
    return switch (plan) {
      case ResponsePlan.Whole _ -> !HttpMethods.isHead(request);
      case ResponsePlan.Single _, ResponsePlan.Multiple _ -> true;
      case ResponsePlan.NotModified _,
          ResponsePlan.PreconditionFailed _,
          ResponsePlan.RangeNotSatisfiable _ ->
          false;
    };
  }

  /** Answers when it is the download's turn. */
  private void enqueue(
      Request request,
      Response response,
      Callback callback,
      Served served,
      ResponsePlan plan,
      Throttles.OfDownload throttle,
      DownloadQueue queue) {
    boolean isEntered =
        throttle.enter(
            queue,
            request,
            place -> {
              Callback leaving = Callback.from(callback, () -> leave(place));
              try {
                answer(request, response, leaving, served, plan);
              } catch (RuntimeException | Error e) {
                leaving.failed(e);
              }
            },
            callback::failed);
    if (!isEntered) {
      problems.write(
          request,
          response,
          callback,
          Problems.tooManyDownloads(),
          HttpFields.from(
              new HttpField(
                  HttpHeader.RETRY_AFTER,
                  String.valueOf(ThreadLocalRandom.current().nextInt(1, MAX_RETRY_AFTER + 1)))));
    }
  }

  private static void leave(DownloadQueue.Place place) {
    var _ = place.leave();
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
    request.setAttribute(OBSERVER, new DeliveryObserver(observer, delivery, parts));
  }

  /**
   * Whether the backend can answer: it does not know our validators, writes parts in its own way,
   * and signs an address for one method. A tag in If-Range that is not ours may be the backend's,
   * from a download it began.
   */
  private static boolean isForBackend(Request request, ResponsePlan plan) {
    return switch (plan) {
      case ResponsePlan.Whole _ -> !HttpMethods.isHead(request);
      case ResponsePlan.Single _ -> !request.getHeaders().contains(HttpHeader.IF_RANGE);
      default -> false;
    };
  }

  private void redirect(
      Request request,
      Response response,
      Callback callback,
      Served served,
      BlobRef ref,
      ResponsePlan plan) {
    Optional<URI> address;
    try {
      String disposition = served.fields().get(HttpHeader.CONTENT_DISPOSITION);
      address = stores.blob(ref).temporaryAddress(served.mediaType(), disposition);
    } catch (StorageException e) {
      fail(request, response, callback, e);
      return;
    } catch (RuntimeException e) {
      callback.failed(e);
      return;
    }
    if (address.isEmpty()) {
      answer(request, response, callback, served, plan);
      return;
    }
    response.setStatus(HttpStatus.TEMPORARY_REDIRECT_307);
    response
        .getHeaders()
        .put(HttpHeader.LOCATION, address.get().toASCIIString())
        // It is signed for a short time, and for a caller who was let in.
        .put(HttpHeader.CACHE_CONTROL, "no-store")
        .put(HttpHeader.CONTENT_LENGTH, 0);
    NoBody.send(response, callback);
  }

  private void answer(
      Request request, Response response, Callback callback, Served served, ResponsePlan plan) {
    long length = served.representation().length();
    switch (plan) {
      case ResponsePlan.Whole _ -> {
        begin(request, response, HttpStatus.OK_200, served, served.mediaType(), length);
        if (length == 0 || HttpMethods.isHead(request)) {
          NoBody.send(response, callback);
        } else {
          sendWhole(request, response, callback, served, length);
        }
      }
      case ResponsePlan.Single(ByteRange range) -> {
        begin(
            request,
            response,
            HttpStatus.PARTIAL_CONTENT_206,
            served,
            served.mediaType(),
            range.length());
        response.getHeaders().put(HttpHeader.CONTENT_RANGE, ContentRange.of(range, length));
        send(request, response, callback, served, range, List.of(range), BodyPart.of(range));
      }
      case ResponsePlan.Multiple(List<ByteRange> ranges) -> {
        MultipartByteRanges multipart = new MultipartByteRanges(ranges, served.mediaType(), length);
        begin(
            request,
            response,
            HttpStatus.PARTIAL_CONTENT_206,
            served,
            multipart.contentType(),
            multipart.length());
        send(
            request,
            response,
            callback,
            served,
            ByteRange.whole(length),
            ranges,
            BodyPart.of(multipart));
      }
      case ResponsePlan.NotModified _ -> {
        response.setStatus(HttpStatus.NOT_MODIFIED_304);
        // Left alone, Jetty would say 0, which RFC 9110, section 8.6, forbids.
        response.getHeaders().add(served.validators()).put(HttpHeader.CONTENT_LENGTH, length);
        NoBody.send(response, callback);
      }
      case ResponsePlan.PreconditionFailed _ ->
          problems.write(
              request,
              response,
              callback,
              Problems.preconditionFailed(),
              validator(served.validators()));
      case ResponsePlan.RangeNotSatisfiable(String reason) ->
          problems.write(
              request,
              response,
              callback,
              Problems.rangeNotSatisfiable(reason, length),
              HttpFields.build()
                  .add(HttpHeader.CONTENT_RANGE, ContentRange.unsatisfied(length))
                  .add(HttpHeader.ACCEPT_RANGES, "bytes")
                  .add(validator(served.validators())));
    }
  }

  private void sendWhole(
      Request request, Response response, Callback callback, Served served, long length) {
    if (served.bytes() instanceof Served.Bytes.Framed(BlobRef _, FramedChunk chunk)) {
      List<ByteRange> ranges = chunk.pieces().stream().map(FramedChunk.Piece::range).toList();
      long begin = ranges.getFirst().position();
      ByteRange covering = new ByteRange(begin, ranges.getLast().end() - begin);
      send(request, response, callback, served, covering, ranges, BodyPart.of(chunk));
    } else {
      ByteRange whole = ByteRange.whole(length);
      send(request, response, callback, served, whole, List.of(whole), BodyPart.of(whole));
    }
  }

  private static HttpFields validator(HttpFields validators) {
    return HttpFields.from(validators.getField(HttpHeader.ETAG));
  }

  private static void begin(
      Request request,
      Response response,
      int status,
      Served served,
      String contentType,
      long contentLength) {
    response.setStatus(status);
    HttpFields.Mutable fields = response.getHeaders();
    fields
        .add(served.fields())
        .put(HttpHeader.CONTENT_TYPE, contentType)
        .put(HttpHeader.CONTENT_LENGTH, contentLength);
    if (served.bytes() instanceof Served.Bytes.Framed) {
      return;
    }
    String wantReprDigest = request.getHeaders().get("Want-Repr-Digest");
    if (wantReprDigest != null) {
      fields.put("Repr-Digest", DigestFields.reprDigest(served.digests(), wantReprDigest));
    }
    String wantDigest = request.getHeaders().get("Want-Digest");
    if (wantDigest != null) {
      DigestFields.digest(served.digests(), wantDigest)
          .ifPresent(value -> fields.put("Digest", value));
    }
  }

  /**
   * @param covering every stored part of the body
   * @param ranges that the body has
   */
  private void send(
      Request request,
      Response response,
      Callback callback,
      Served served,
      ByteRange covering,
      List<ByteRange> ranges,
      Iterator<BodyPart> parts) {
    switch (served.bytes()) {
      case Served.Bytes.Inline(ByteBuffer bytes) ->
          sendMapped(
              request,
              response,
              callback,
              new MappedBody(
                  new InlineRegion(bytes),
                  0,
                  parts,
                  request.getComponents().getByteBufferPool(),
                  FileSender.NONE));
      case Served.Bytes.Stored _, Served.Bytes.Framed _, Served.Bytes.Foreign _ ->
          openStored(request, response, callback, served, covering, ranges, parts);
    }
  }

  private void openStored(
      Request request,
      Response response,
      Callback callback,
      Served served,
      ByteRange covering,
      List<ByteRange> ranges,
      Iterator<BodyPart> parts) {
    try {
      Blob blob = served.bytes().blob(stores).orElseThrow();
      threads.open(
          blob.waitToOpen(),
          () -> sendStored(request, response, callback, blob, covering, ranges, parts));
    } catch (StorageException e) {
      fail(request, response, callback, e);
    }
  }

  private void sendStored(
      Request request,
      Response response,
      Callback callback,
      Blob blob,
      ByteRange covering,
      List<ByteRange> ranges,
      Iterator<BodyPart> parts) {
    ByteBufferPool pool = request.getComponents().getByteBufferPool();
    try {
      Optional<FileRegion> region = blob.fileRegion(covering);
      if (region.isPresent()) {
        sendMapped(
            request,
            response,
            callback,
            new MappedBody(region.get(), covering.position(), parts, pool, FileSender.of(request)));
      } else {
        Runs runs = Runs.of(ranges, blob.pieceLength());
        if (runs.list().size() > MAX_RUNS) {
          refuseScattered(request, response, callback, blob.length(), runs.list().size());
          return;
        }
        sendRead(request, response, callback, new ReadBody(blob, runs, parts, pool, largeBuffers));
      }
    } catch (StorageException e) {
      fail(request, response, callback, e);
    } catch (RuntimeException e) {
      callback.failed(e);
    }
  }

  private void sendMapped(Request request, Response response, Callback callback, MappedBody body) {
    transfer(request, response, callback, body, TransferOutcome.Kind.MAPPED);
  }

  private void sendRead(Request request, Response response, Callback callback, ReadBody body) {
    try {
      body.open();
      threads.read(body.waitToPrepare(), () -> begin(request, response, callback, body));
    } catch (StorageException e) {
      body.close();
      fail(request, response, callback, e);
    } catch (RuntimeException e) {
      body.close();
      callback.failed(e);
    }
  }

  /** The first piece is there before anything is sent, so that a failure can be an answer. */
  private void begin(Request request, Response response, Callback callback, ReadBody body) {
    try {
      body.prepare();
    } catch (StorageException e) {
      body.close();
      fail(request, response, callback, e);
      return;
    } catch (RuntimeException | Error e) {
      body.close();
      callback.failed(e);
      return;
    }
    transfer(request, response, callback, body, TransferOutcome.Kind.READ);
  }

  private void transfer(
      Request request,
      Response response,
      Callback callback,
      BodySource body,
      TransferOutcome.Kind kind) {
    TransferObserver own =
        request.getAttribute(OBSERVER) instanceof TransferObserver asked ? asked : observer;
    Throttle throttle =
        request.getAttribute(THROTTLE) instanceof Throttle asked ? asked : Throttle.NONE;
    new Transfer(response, callback, body, paces.apply(request), throttle, threads, kind, own)
        .iterate();
  }

  /** RFC 9110, section 15.5.17: an excessive request of small ranges. */
  private void refuseScattered(
      Request request, Response response, Callback callback, long length, int runs) {
    response.reset();
    problems.write(
        request,
        response,
        callback,
        Problems.rangeNotSatisfiable(
            "The ranges take %d reads of the storage, and %d is the most for one request: ask for fewer or for neighbours"
                .formatted(runs, MAX_RUNS),
            length),
        HttpFields.build()
            .add(HttpHeader.CONTENT_RANGE, ContentRange.unsatisfied(length))
            .add(HttpHeader.ACCEPT_RANGES, "bytes"));
  }

  /** Nothing is sent yet, so the failure becomes an answer. */
  private void fail(
      Request request, Response response, Callback callback, StorageException failure) {
    if (failure instanceof StorageException.BlobCorrupt damage) {
      observer.damaged(damage);
    } else {
      FAILURES.failed("Cannot serve " + request.getHttpURI().getPath(), failure);
    }
    response.reset();
    problems.write(request, response, callback, Problems.of(failure), HttpFields.EMPTY);
  }
}
