package io.artifactserver.rest.endtoend;

import io.artifactserver.rest.endtoend.Visitor.Visit;

/** Lives of a connection, from its first byte to its end. */
enum ConnectionKind {
  PLAIN(Visitor::plainRequests),
  PLAIN_IDLE(Visitor::plainIdle),
  PLAIN_ABORTED_IN_HEAD(Visitor::plainHeadAndReset),
  PLAIN_ABORTED_IN_BODY(Visitor::plainBodyAndReset),
  TLS_1_2(visitor -> visitor.download(visitor.fresh("TLSv1.2"), true)),
  TLS_1_2_WITHOUT_CLOSE_NOTIFY(visitor -> visitor.download(visitor.fresh("TLSv1.2"), false)),
  TLS_1_2_RESUMED(visitor -> visitor.download(visitor.resumed("TLSv1.2"), true)),
  TLS_1_2_RESUMED_WITHOUT_CLOSE_NOTIFY(
      visitor -> visitor.download(visitor.resumed("TLSv1.2"), false)),
  TLS_1_3(visitor -> visitor.download(visitor.fresh("TLSv1.3"), true)),
  TLS_1_3_WITHOUT_CLOSE_NOTIFY(visitor -> visitor.download(visitor.fresh("TLSv1.3"), false)),
  TLS_1_3_RESUMED(visitor -> visitor.download(visitor.resumed("TLSv1.3"), true)),
  TLS_1_3_RESUMED_WITHOUT_CLOSE_NOTIFY(
      visitor -> visitor.download(visitor.resumed("TLSv1.3"), false)),
  MUTUAL_TLS(visitor -> visitor.download(visitor.known(), false)),
  CERTIFICATE_REFUSED_BY_THE_CLIENT(Visitor::refuse),
  CERTIFICATE_REFUSED_BY_THE_SERVER(Visitor::beRefused),
  HTTP_TO_TLS(visitor -> visitor.garbage("GET / HTTP/1.1\r\nHost: device\r\n\r\n")),
  GARBAGE_TO_TLS(visitor -> visitor.garbage("\u0016\u0003\u0001\u0000\u0005nonsense\r\n\r\n")),
  ABORTED_IN_HELLO(Visitor::halfHello),
  ABORTED_IN_HANDSHAKE(Visitor::helloAndReset),
  ABORTED_IN_HEAD(Visitor::headAndReset),
  ABORTED_IN_BODY(Visitor::bodyAndReset),
  IDLE(Visitor::idle),
  RESET_STREAMS(Visitor::resetStreams);

  @SuppressWarnings("ImmutableEnumChecker") // They have no state.
  private final Visit visit;

  ConnectionKind(Visit visit) {
    this.visit = visit;
  }

  /** Whether it goes to the server without TLS. */
  boolean isPlain() {
    return name().startsWith("PLAIN");
  }

  Visit visit() {
    return visit;
  }
}
