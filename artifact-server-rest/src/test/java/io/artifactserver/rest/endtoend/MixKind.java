package io.artifactserver.rest.endtoend;

import io.artifactserver.rest.endtoend.MixSite.Line;
import io.artifactserver.rest.endtoend.MixSite.Transport;
import io.artifactserver.rest.endtoend.Tally.Count;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/** A kind of client. Thread-safe. */
interface MixKind {
  String name();

  boolean speaks(Transport transport);

  /**
   * Connects, asks, compares, and goes.
   *
   * @throws IOException if the server ends a connection that it may not end
   * @throws AssertionError if bytes come that should not
   */
  void visit(Visit visit) throws IOException;

  /** One visit of a client, with all that it needs. */
  record Visit(
      MixSite site, Transport transport, SplittableRandom random, Tally tally, String kind) {
    Tally.Row row() {
      return tally.row(kind);
    }

    String token() {
      return site.token();
    }

    Ask any() {
      return Ask.any(random, token());
    }

    Line open(int receiveBuffer) throws IOException {
      Line line = site.open(transport, random, receiveBuffer);
      row().add(Count.CONNECTIONS, 1);
      return line;
    }

    void send(Line line, String text) throws IOException {
      line.send(text.getBytes(StandardCharsets.US_ASCII));
    }
  }
}
