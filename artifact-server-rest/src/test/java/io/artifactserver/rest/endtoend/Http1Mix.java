package io.artifactserver.rest.endtoend;

import io.artifactserver.rest.endtoend.MixSite.Line;
import io.artifactserver.rest.endtoend.MixSite.Transport;
import io.artifactserver.rest.endtoend.Tally.Count;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/** Kinds of clients of HTTP/1.1, with and without TLS; each call is the life of a connection. */
enum Http1Mix implements MixKind {
  /** One request on a connection, which the client ends in any way. */
  SHORT {
    @Override
    void talk(Visit visit, Line line, Http1Reader in) throws IOException {
      Ask ask = visit.any();
      boolean isLast = visit.random().nextBoolean();
      visit.send(line, ask.head(isLast));
      in.answer(ask);
      if (isLast && visit.random().nextBoolean()) {
        in.requireEnd();
      }
      line.end(visit.random());
    }
  },

  KEEP_ALIVE {
    @Override
    void talk(Visit visit, Line line, Http1Reader in) throws IOException {
      for (int i = visit.random().nextInt(1, 40); i > 0; i--) {
        Ask ask = visit.any();
        visit.send(line, ask.head(false));
        long begin = System.nanoTime();
        in.answer(ask);
        visit.tally().took(System.nanoTime() - begin);
      }
    }
  },

  PIPELINED {
    @Override
    void talk(Visit visit, Line line, Http1Reader in) throws IOException {
      List<Ask> asks = new ArrayList<>();
      StringBuilder heads = new StringBuilder();
      int most = visit.random().nextInt(2, 12);
      for (int i = 1; i <= most; i++) {
        Ask ask = visit.any();
        asks.add(ask);
        heads.append(ask.head(i == most));
      }
      visit.send(line, heads.toString());
      for (int i = 0; i < most; i++) {
        try {
          in.answer(asks.get(i));
        } catch (AssertionError e) {
          throw new AssertionError("Answer %d of %s: %s".formatted(i + 1, asks, e.getMessage()), e);
        }
      }
      in.requireEnd();
    }
  },

  MULTI_RANGE {
    @Override
    void talk(Visit visit, Line line, Http1Reader in) throws IOException {
      for (int i = visit.random().nextInt(1, 4); i > 0; i--) {
        MarkedArtifact artifact = Ask.anyArtifact(visit.random());
        Ask ask =
            visit.random().nextInt(8) == 0
                ? Ask.scattered(artifact, visit.token(), 100)
                : Ask.several(artifact, visit.token(), visit.random());
        visit.send(line, ask.head(false));
        in.answer(ask);
      }
    }
  },

  /** Takes a few bytes at a time into a small buffer: the server's socket is full. */
  SLOW {
    @Override
    int receiveBuffer() {
      return 4096;
    }

    @Override
    void talk(Visit visit, Line line, Http1Reader in) throws IOException {
      Ask ask = Ask.range(Ask.anyArtifact(visit.random()), visit.token(), visit.random(), 1 << 20);
      visit.send(line, ask.head(true));
      int piece = visit.random().nextInt(2_000, 20_000);
      in.answer(ask, Long.MAX_VALUE, piece, () -> LockSupport.parkNanos(2_000_000));
      in.requireEnd();
    }
  },

  /** Goes away in the middle of an answer, or before it. */
  ABORTING {
    @Override
    void talk(Visit visit, Line line, Http1Reader in) throws IOException {
      MarkedArtifact artifact = Ask.anyArtifact(visit.random());
      Ask ask =
          visit.random().nextBoolean()
              ? Ask.ranges(artifact, visit.token(), List.of())
              : Ask.scattered(artifact, visit.token(), 100);
      visit.send(line, ask.head(false));
      if (visit.random().nextInt(4) > 0) {
        in.answer(ask, visit.random().nextInt(1 << 20), 1 << 16, () -> {});
      }
      line.end(visit.random());
    }
  },

  /** Says that it sends no more, and reads on: over TLS the server may end the connection. */
  HALF_CLOSING {
    @Override
    void talk(Visit visit, Line line, Http1Reader in) throws IOException {
      Ask ask = visit.any();
      visit.send(line, ask.head(visit.random().nextBoolean()));
      try {
        if (visit.random().nextBoolean()) {
          line.socket().shutdownOutput();
        } else {
          line.raw().shutdownOutput();
        }
        in.answer(ask);
        in.requireEnd();
      } catch (IOException e) {
        if (!visit.transport().isTls() || !Line.isCut(e)) {
          throw e;
        }
        visit.row().add(Count.ENDED, 1);
      }
    }
  },

  MALFORMED {
    @Override
    void talk(Visit visit, Line line, Http1Reader in) throws IOException {
      try {
        line.send(rubbish(visit.random(), visit.any().head(false)));
        in.refusals();
        visit.row().add(Count.ENDED, 1);
      } catch (IOException e) {
        if (!Line.isCut(e)) {
          throw e;
        }
        // The server need not read what it has refused already.
        visit.row().add(Count.ENDED, 1);
      }
    }
  },

  /** Every byte of the head is a packet, and over TLS a record. */
  BYTE_BY_BYTE {
    @Override
    void talk(Visit visit, Line line, Http1Reader in) throws IOException {
      for (int i = visit.random().nextInt(1, 4); i > 0; i--) {
        Ask ask = visit.any();
        for (byte each : ask.head(false).getBytes(StandardCharsets.US_ASCII)) {
          line.send(new byte[] {each});
        }
        in.answer(ask);
      }
    }
  };

  abstract void talk(Visit visit, Line line, Http1Reader in) throws IOException;

  int receiveBuffer() {
    return 0;
  }

  @Override
  public boolean speaks(Transport transport) {
    return !transport.isHttp2();
  }

  @Override
  public void visit(Visit visit) throws IOException {
    try (Line line = visit.open(receiveBuffer())) {
      talk(visit, line, new Http1Reader(line.socket().getInputStream(), visit.row()));
    }
  }

  /** A head that no server may take for a request. */
  private static byte[] rubbish(SplittableRandom random, String head) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    switch (random.nextInt(5)) {
      case 0 -> {
        byte[] noise = new byte[random.nextInt(1, 3000)];
        random.nextBytes(noise);
        bytes.write(0x80 | random.nextInt(128));
        bytes.writeBytes(noise);
        bytes.writeBytes(new byte[] {'\r', '\n', '\r', '\n'});
      }
      case 1 -> bytes.writeBytes(ascii(head.replace("HTTP/1.1", "HTTP/9.9")));
      case 2 -> bytes.writeBytes(ascii(head.replace("Host: device", "Host : device")));
      case 3 -> bytes.writeBytes(ascii(head.replace("\r\n\r\n", "\r\nX: \0\r\n\r\n")));
      default ->
          bytes.writeBytes(
              ascii(head.replace("\r\n\r\n", "\r\nX: " + "y".repeat(70_000) + "\r\n\r\n")));
    }
    return bytes.toByteArray();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
