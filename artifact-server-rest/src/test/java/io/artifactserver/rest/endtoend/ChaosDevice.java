package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Pacing.pause;

import io.artifactserver.rest.endtoend.ChaosModel.Absence;
import io.artifactserver.rest.endtoend.ChaosModel.Access;
import io.artifactserver.rest.endtoend.ChaosModel.ArtifactPath;
import io.artifactserver.rest.endtoend.ChaosModel.Content;
import io.artifactserver.rest.endtoend.ChaosModel.Link;
import io.artifactserver.rest.endtoend.ChaosModel.State;
import io.artifactserver.rest.endtoend.ChaosModel.Token;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Downloads artifacts in ranges, breaks off, resumes, and compares every answer with the states
 * that were allowed from the request to the last byte. Used by one thread.
 */
final class ChaosDevice implements ChaosIT.Participant {
  private static final int MAX_PAUSE_MILLIS = 8;

  /** Between a connection that ended and the next. */
  private static final Duration RECONNECT = Duration.ofMillis(50);

  /** So that no address is slowed down for wrong tokens. */
  private static final int REVOKED_TOKENS = 100;

  private final String name;
  private final ChaosModel model;
  private final ChaosSite site;
  private final Endpoint endpoint;
  private final ChaosReport report;
  private final SplittableRandom random;
  private @Nullable Wire wire;
  private int connectedAt;
  private @Nullable Beginning unfinished;

  ChaosDevice(
      int number, ChaosModel model, ChaosSite site, ChaosReport report, SplittableRandom random) {
    this.name = "device-" + number;
    this.model = model;
    this.site = site;
    this.endpoint = site.endpoint(number);
    this.report = report;
    this.random = random;
  }

  /** The beginning of an artifact, which is to be resumed. */
  private record Beginning(ArtifactPath path, Content content, int length) {}

  /**
   * The address of a path, and the right to read it.
   *
   * @param access none if the path is public
   */
  private record Way(
      ArtifactPath path, String target, String fields, Optional<Timeline<Access>> access) {}

  /**
   * A request.
   *
   * @param first position that is asked for; negative without a range
   * @param last position that is asked for; it may be beyond the end
   * @param condition of the range; empty without one
   * @param known entity tag of the answer that is not wanted again; empty without one
   */
  private record Inquiry(
      String method, Way way, int first, int last, String condition, String known) {
    String head(String device) {
      StringBuilder head =
          new StringBuilder(method + " " + way.target + " HTTP/1.1\r\nHost: device\r\n")
              .append("RAUC-Serial: ")
              .append(device)
              .append("\r\n")
              .append(way.fields);
      if (first >= 0) {
        head.append("Range: bytes=").append(first).append('-').append(last).append("\r\n");
      }
      if (!condition.isEmpty()) {
        head.append("If-Range: ").append(condition).append("\r\n");
      }
      if (!known.isEmpty()) {
        head.append("If-None-Match: ").append(known).append("\r\n");
      }
      return head.append("\r\n").toString();
    }
  }

  /**
   * The moments at which a request was sent.
   *
   * @param connected when its connection was opened
   */
  private record Sent(int states, int access, int connected, long nanos) {}

  @Override
  public void run() throws Exception {
    while (!model.isOver()) {
      try {
        once();
      } catch (AssertionError | RuntimeException e) {
        report.fail(e);
        disconnect();
      }
      pause(Duration.ofMillis(random.nextInt(MAX_PAUSE_MILLIS)));
    }
  }

  @Override
  public void close() {
    disconnect();
  }

  private void once() throws InterruptedException, IOException {
    Beginning beginning = unfinished;
    unfinished = null;
    if (beginning != null) {
      way(beginning.path()).ifPresent(way -> exchange(resuming(beginning, way), -1));
    } else {
      Optional<Way> way = model.path(random, _ -> true).flatMap(this::way);
      if (way.isPresent()) {
        boolean isAborted = random.nextInt(8) == 0;
        exchange(inquiry(way.get(), isAborted), isAborted ? random.nextInt(200_000) : -1);
      }
    }
    if (wire == null) {
      pause(RECONNECT);
    }
  }

  /** Private artifacts are downloaded by a token, now and then a revoked one, or by a link. */
  private Optional<Way> way(ArtifactPath path) {
    if (path.repository().isPublic()) {
      return Optional.of(new Way(path, path.address(), "", Optional.empty()));
    }
    if (random.nextInt(3) == 0) {
      Optional<Link> link = model.link(random);
      if (link.isPresent()) {
        Link found = link.get();
        return Optional.of(new Way(found.path(), found.url(), "", Optional.of(found.access())));
      }
    }
    Access wanted = random.nextInt(REVOKED_TOKENS) == 0 ? Access.REVOKED : Access.GOOD;
    Optional<Token> token = model.token(random, wanted);
    return token.map(found ->
        new Way(
            path,
            path.address(),
            "Authorization: Bearer " + found.secret() + "\r\n",
            Optional.of(found.access())));
  }

  private static Inquiry resuming(Beginning beginning, Way way) {
    // By a link, it may be another artifact.
    return way.path().equals(beginning.path()) && beginning.length() > 0
        ? new Inquiry(
            "GET", way, beginning.length(), Integer.MAX_VALUE, beginning.content().tag(), "")
        : new Inquiry("GET", way, -1, -1, "", "");
  }

  private Inquiry inquiry(Way way, boolean isWhole) {
    Content content = way.path().content().orElseGet(() -> model.content(random));
    int first = random.nextInt(content.length());
    int last = first + random.nextInt(128 * 1024);
    return switch (isWhole ? 1 : random.nextInt(10)) {
      case 0 -> new Inquiry("HEAD", way, -1, -1, "", "");
      case 1 -> new Inquiry("GET", way, -1, -1, "", "");
      case 2 -> new Inquiry("GET", way, -1, -1, "", content.tag());
      case 3, 4, 5 -> new Inquiry("GET", way, first, last, content.tag(), "");
      default -> new Inquiry("GET", way, first, last, "", "");
    };
  }

  /**
   * Sends a request and judges what comes.
   *
   * @param limit of the bytes that are read before the connection is reset; negative for all
   */
  private void exchange(Inquiry inquiry, int limit) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    Way way = inquiry.way();
    Response head = null;
    Sent sent = sent(way);
    try {
      Wire connected = connected();
      sent = sent(way);
      connected.send(inquiry.head(name));
      head = connected.receive(false);
      boolean isWhole = read(connected, inquiry, head, limit, body);
      judge(inquiry, sent, head, body.toByteArray(), isWhole);
      if (!isWhole) {
        report.answer("aborted");
        connected.reset();
        wire = null;
      } else if (head.field("Connection").filter("close"::equals).isPresent()) {
        disconnect();
      }
    } catch (IOException e) {
      judgeCut(inquiry, sent, e);
      if (head != null) {
        judge(inquiry, sent, head, body.toByteArray(), false);
      }
      disconnect();
    }
  }

  private Sent sent(Way way) {
    return new Sent(
        way.path().states().now(),
        way.access().map(Timeline::now).orElse(0),
        wire == null ? site.moment() : connectedAt,
        System.nanoTime());
  }

  /** Reads up to the limit; returns whether that was all. */
  private static boolean read(
      Wire wire, Inquiry inquiry, Response head, int limit, ByteArrayOutputStream body)
      throws IOException {
    if (inquiry.method().equals("HEAD") || head.status() == 304) {
      return true;
    }
    int length =
        Integer.parseInt(
            head.field("Content-Length")
                .orElseThrow(() -> new AssertionError("No Content-Length: " + head.fields())));
    int wanted = limit >= 0 && head.status() == 200 ? Math.min(limit, length) : length;
    InputStream in = wire.body();
    byte[] buffer = new byte[32 * 1024];
    while (body.size() < wanted) {
      int n = in.read(buffer, 0, Math.min(buffer.length, wanted - body.size()));
      if (n < 0) {
        throw new EOFException("The body ended after %d of %d".formatted(body.size(), length));
      }
      body.write(buffer, 0, n);
    }
    return wanted == length;
  }

  private void judge(Inquiry inquiry, Sent sent, Response head, byte[] body, boolean isWhole) {
    Way way = inquiry.way();
    Set<State> states = way.path().states().since(sent.states());
    Set<Access> access =
        way.access().map(timeline -> timeline.since(sent.access())).orElse(Set.of(Access.GOOD));
    boolean isAllowed =
        switch (head.status()) {
          case 200, 206 -> true;
          case 304 -> contents(states).anyMatch(each -> each.tag().equals(inquiry.known()));
          case 401 -> !way.fields().isEmpty() && access.contains(Access.REVOKED);
          case 403 ->
              way.fields().isEmpty() && way.access().isPresent() && access.contains(Access.REVOKED);
          case 404 -> states.contains(Absence.NEVER_USED);
          case 410 -> states.contains(Absence.DELETED);
          case 416 -> contents(states).anyMatch(each -> each.length() <= inquiry.first());
          case 503 -> site.isInterrupted(sent.connected()) || isOutlived(inquiry, sent);
          default -> false;
        };
    boolean isRefusal = head.status() == 401 || head.status() == 403 || head.status() == 503;
    if (!isAllowed || (!isRefusal && !access.contains(Access.GOOD))) {
      throw failure(inquiry, head, "states " + states + ", access " + access);
    }
    report.answer(Integer.toString(head.status()));
    if (head.status() == 200 || head.status() == 206) {
      Content content =
          contents(states)
              .filter(each -> head.field("ETag").filter(each.tag()::equals).isPresent())
              .findFirst()
              .orElseThrow(() -> failure(inquiry, head, "states " + states));
      judge(inquiry, head, content, body, isWhole);
    }
  }

  /** An answer is of one content, whichever of those that were allowed. */
  private void judge(
      Inquiry inquiry, Response head, Content content, byte[] body, boolean isWhole) {
    boolean isRange =
        inquiry.first() >= 0
            && (inquiry.condition().isEmpty() || inquiry.condition().equals(content.tag()));
    int first = isRange ? inquiry.first() : 0;
    int end = isRange ? (int) Math.min(inquiry.last() + 1L, content.length()) : content.length();
    boolean isRight =
        head.status() == (isRange ? 206 : 200)
            && head.field("Content-Length")
                .filter(Integer.toString(end - first)::equals)
                .isPresent()
            && (!isRange
                || head.field("Content-Range")
                    .filter("bytes %d-%d/%d".formatted(first, end - 1, content.length())::equals)
                    .isPresent());
    if (!isRight) {
      throw failure(inquiry, head, content.toString());
    }
    if (inquiry.method().equals("HEAD")) {
      return;
    }
    int mismatch =
        Arrays.mismatch(content.bytes(), first, first + body.length, body, 0, body.length);
    if (mismatch >= 0 || (isWhole && body.length != end - first)) {
      throw failure(
          inquiry,
          head,
          "%s, but %d bytes with a wrong one at %d".formatted(content, body.length, mismatch));
    }
    if (!inquiry.condition().isEmpty() && inquiry.last() == Integer.MAX_VALUE) {
      report.answer(isRange ? "resumed" : "begun again");
    }
    if (!isWhole && first == 0) {
      unfinished = new Beginning(inquiry.way().path(), content, body.length);
    }
  }

  /** A connection is cut by a restart, by a revocation, or because the bytes are gone. */
  private void judgeCut(Inquiry inquiry, Sent sent, IOException cut) {
    boolean isRevoked =
        inquiry
            .way()
            .access()
            .filter(access -> access.since(sent.access()).contains(Access.REVOKED))
            .isPresent();
    if (!site.isInterrupted(sent.connected()) && !isRevoked && !isOutlived(inquiry, sent)) {
      throw new AssertionError(
          "%s of %s was cut, and the server ran: %s"
              .formatted(inquiry.method(), inquiry.way().path(), cut),
          cut);
    }
    report.answer("cut");
  }

  /** Whether the grace period of a deleted artifact may have ended in the middle of the answer. */
  private static boolean isOutlived(Inquiry inquiry, Sent sent) {
    return System.nanoTime() - sent.nanos() >= ChaosSite.GRACE_PERIOD.toNanos()
        && inquiry.way().path().states().since(sent.states()).contains(Absence.DELETED);
  }

  private static Stream<Content> contents(Set<State> states) {
    return states.stream().filter(Content.class::isInstance).map(Content.class::cast);
  }

  private AssertionError failure(Inquiry inquiry, Response head, String allowed) {
    return new AssertionError(
        "%s, %s: %s%d %s; allowed: %s"
            .formatted(
                name,
                endpoint.transport(),
                inquiry.head(name),
                head.status(),
                head.fields(),
                allowed));
  }

  /** A connection ends with the process. */
  private Wire connected() throws IOException {
    if (wire != null && connectedAt != site.moment()) {
      disconnect();
    }
    Wire known = wire;
    if (known == null) {
      connectedAt = site.moment();
      known = endpoint.open();
      wire = known;
    }
    return known;
  }

  private void disconnect() {
    Wire known = wire;
    wire = null;
    if (known != null) {
      try {
        known.close();
      } catch (IOException e) {
        // It was cut.
      }
    }
  }
}
