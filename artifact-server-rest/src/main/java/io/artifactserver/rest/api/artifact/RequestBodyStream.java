package io.artifactserver.rest.api.artifact;

import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.artifactserver.rest.server.guard.UploadTurns;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.InputStreamSource;
import org.springframework.http.HttpStatus;
import org.springframework.util.unit.DataSize;

/**
 * A request's body, asked for by the first read: with {@code Expect: 100-continue} a client sends
 * nothing before that, so whatever is refused earlier costs it no bytes (RFC 9110, section 10.1.1).
 *
 * <p>A client that trickles holds one of few places, so it is refused once it has been waited for
 * for {@link #PERIOD} and less has come than the least rate asks for. The time in which the server
 * stores bytes, or has others do so first, does not count. Nothing is stored of a caller whose
 * token is taken away meanwhile. Used by one thread.
 */
public final class RequestBodyStream extends InputStream {
  static final Duration PERIOD = Duration.ofMinutes(1);

  /** How often it is asked whether the caller may go on. */
  static final Duration RECALL = Duration.ofSeconds(1);

  private final InputStreamSource body;
  private final DataSize minRate;
  private final BooleanSupplier mayGoOn;
  private final LongSupplier nanoTime;
  private final UploadTurns.@Nullable Turn turn;
  private long waited;
  private long received;
  private long asked;

  /**
   * @param minRate per second; with 0 a client may take its time
   * @param mayGoOn whether the caller still has its token; asked at the end, too
   * @param nanoTime the time, in nanoseconds since some moment
   */
  public RequestBodyStream(
      InputStreamSource body, DataSize minRate, BooleanSupplier mayGoOn, LongSupplier nanoTime) {
    this(body, minRate, mayGoOn, nanoTime, null);
  }

  /**
   * @param turn that the reader has, and gives up while it waits; null if it has none
   */
  RequestBodyStream(
      InputStreamSource body,
      DataSize minRate,
      BooleanSupplier mayGoOn,
      LongSupplier nanoTime,
      UploadTurns.@Nullable Turn turn) {
    this.turn = turn;
    this.body = body;
    this.minRate = minRate;
    this.mayGoOn = mayGoOn;
    this.nanoTime = nanoTime;
    this.asked = nanoTime.getAsLong();
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  /** Bytes that have come. The first call asks for the body, as a read does. */
  @Override
  public int available() throws IOException {
    return body.getInputStream().available();
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    long begin = nanoTime.getAsLong();
    InputStream bytes = body.getInputStream();
    UploadTurns.@Nullable Turn given = turn == null || bytes.available() > 0 ? null : turn;
    if (given != null) {
      given.end();
    }
    int read;
    long now;
    try {
      read = bytes.read(target, offset, length);
    } finally {
      now = nanoTime.getAsLong();
      if (given != null) {
        given.begin();
      }
    }
    waited += now - begin;
    received += Math.max(0, read);
    if (waited >= PERIOD.toNanos()) {
      if (read >= 0 && received < minRate.toBytes() * PERIOD.toSeconds()) {
        throw new ProblemException(
            HttpStatus.REQUEST_TIMEOUT,
            "Upload too slow",
            "Only %,d bytes came in %d seconds, and the least is %,d a second. Use a faster link, or ask the operator to lower artifact-server.upload.min-rate."
                .formatted(received, waited / 1_000_000_000, minRate.toBytes()));
      }
      waited = 0;
      received = 0;
    }
    if (read < 0 || now - asked >= RECALL.toNanos()) {
      asked = now;
      if (!mayGoOn.getAsBoolean()) {
        throw new ProblemException(Problems.unauthorized());
      }
    }
    return read;
  }
}
