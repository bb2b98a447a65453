package io.artifactserver.rest.api.artifact;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.IngestResult;
import io.artifactserver.core.upload.UnfinishedUploads;
import io.artifactserver.core.upload.UploadException;
import io.artifactserver.core.upload.UploadSession;
import io.artifactserver.core.upload.UploadStatus;
import io.artifactserver.rest.access.AccessRules;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.artifactserver.rest.server.engine.Http2Connections;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.server.Request;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;

/**
 * Brings the bodies of requests into unfinished uploads, for every protocol. A request ends an
 * older one for the same upload, and goes on behind what that one has brought. Thread-safe.
 */
@Component
public record UploadReception(
    UnfinishedUploads uploads, Authenticator authenticator, UploadProperties properties) {
  /** When an upload is complete. */
  enum Completion {
    /** As soon as it has as many bytes as its length says. */
    WHEN_FULL,
    /** With this body. */
    NOW,
    /** With a later one. */
    LATER
  }

  /**
   * Brings a body into an upload, and completes that if it is due.
   *
   * @throws IngestException if the sender is at fault
   * @throws UploadException.BrokenOff if the sender went away; what came is kept then, unless the
   *     body has a checksum
   */
  Received receive(HttpServletRequest request, String id, Body body)
      throws IngestException, StorageException, UploadException {
    Request jetty = ServletContextRequest.getServletContextRequest(request).getWrapped();
    try (OpenRequest open = new OpenRequest(jetty);
        UploadSession session = uploads.take(id, open::end)) {
      session.requirePosition(body.offset());
      requireFits(session.status(), body, request);
      if (body.length().isPresent()) {
        session.declare(body.length().getAsLong());
      }
      expect(session, body.digests());
      if (body.hasBytes()) {
        Http2Connections.acceptBody(jetty);
        append(session, body, request);
      }
      return end(session, body.completion());
    }
  }

  /** Bytes cannot have two digests of one algorithm. */
  private static void expect(UploadSession session, List<Digest> digests) throws UploadException {
    for (Digest before : session.status().request().expectedDigests()) {
      for (Digest now : digests) {
        if (now.algorithm() == before.algorithm() && !now.equals(before)) {
          throw new ProblemException(
              HttpStatus.BAD_REQUEST,
              "Another digest",
              "Upload %s was to have %s, not %s. End it, and begin a new one."
                  .formatted(session.status().id(), before, now));
        }
      }
    }
    session.expect(digests);
  }

  /** Refuses a caller whose scope does not have the artifact of an upload. */
  void requireInScope(String id) throws UploadException.NotFound {
    requireInScope(uploads.request(id).orElseThrow(() -> new UploadException.NotFound(id)));
  }

  static void requireInScope(IngestRequest request) {
    Caller caller = CurrentCaller.get();
    if (!caller.mayRead(request.id())) {
      throw new ProblemException(Problems.forbidden(AccessRules.OUT_OF_SCOPE));
    }
  }

  /** With a checksum, the bytes are kept together or not at all. */
  private void append(UploadSession session, Body body, HttpServletRequest request)
      throws IngestException, StorageException, UploadException {
    UploadExchange exchange = UploadExchange.of(request);
    if (body.checksum().isPresent()) {
      session.mark();
    }
    try (RequestBodyStream bytes =
        new RequestBodyStream(
            request::getInputStream,
            properties.minRate(),
            mayGoOn(request),
            System::nanoTime,
            exchange.turn())) {
      new UploadBody(session, body.checksum(), exchange.turn(), body.onProgress()).receive(bytes);
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      // A newer request may have ended this one: its client is told so.
      session.requirePosition(session.status().position());
      throw new UploadException.BrokenOff(session.status(), body.checksum().isEmpty(), e);
    }
  }

  /** Tells whether the caller of a request still has its token; asks the database if need be. */
  BooleanSupplier mayGoOn(HttpServletRequest request) {
    Credentials credentials =
        Credentials.of(Optional.ofNullable(request.getHeader("Authorization")));
    return () -> !authenticator.isTakenAway(credentials);
  }

  private static Received end(UploadSession session, Completion completion)
      throws IngestException, StorageException, UploadException {
    UploadStatus status = session.status();
    boolean isComplete =
        switch (completion) {
          case WHEN_FULL -> status.position() == status.request().declaredLength();
          case NOW -> {
            session.declare(status.position());
            yield true;
          }
          case LATER -> false;
        };
    if (isComplete) {
      return new Received(session.status(), session.complete());
    }
    long _ = session.pause();
    return new Received(session.status(), Optional.empty());
  }

  /** A body that is too long is refused before its first byte, and before its length counts. */
  private static void requireFits(UploadStatus status, Body body, HttpServletRequest request)
      throws UploadException {
    long known = status.request().declaredLength();
    long length =
        known == IngestRequest.UNKNOWN_LENGTH
            ? body.length().orElse(IngestRequest.UNKNOWN_LENGTH)
            : known;
    long end = end(status.position(), Math.max(0, request.getContentLengthLong()));
    if (length != IngestRequest.UNKNOWN_LENGTH && end > length) {
      throw new UploadException.WrongLength(status.id(), length, end);
    }
  }

  /** The end of bytes in an upload; the largest number where it would exceed that. */
  static long end(long position, long length) {
    return length > Long.MAX_VALUE - position ? Long.MAX_VALUE : position + length;
  }

  /**
   * The body of a request.
   *
   * @param offset of its first byte in the upload
   * @param length of the upload, if the request says it
   * @param digests of the whole upload, as far as the request says them
   * @param checksum of the body, if the request says it
   * @param hasBytes whether there is a body
   * @param completion when the upload is complete
   * @param onProgress learns how many bytes are durable, now and then
   */
  record Body(
      long offset,
      OptionalLong length,
      List<Digest> digests,
      Optional<Digest> checksum,
      boolean hasBytes,
      Completion completion,
      Progress onProgress) {}

  /** Learns how many bytes are durable. */
  @FunctionalInterface
  interface Progress {
    void kept(long position);
  }

  /**
   * An upload behind a request.
   *
   * @param status how it stands
   * @param result what became of it, if it is complete and no part
   */
  record Received(UploadStatus status, Optional<IngestResult> result) {}
}
