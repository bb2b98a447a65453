package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.MixSite.Backend;
import io.artifactserver.rest.endtoend.MixSite.Line;
import io.artifactserver.rest.endtoend.MixSite.Transport;
import io.artifactserver.rest.endtoend.Tally.Count;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Strangers come on short connections of TLS beside devices that read a private artifact; each gets
 * its own bytes, and all of them. {@code -Dmix.connections} says how many connections of each
 * version of TLS, {@code -Dmix.seed} repeats what the clients choose.
 */
class TlsBytesIT {
  private static final long CONNECTIONS = Long.getLong("mix.connections", 2_000) / 2;
  private static final int STRANGERS = 4;
  private static final int READERS = 2;

  /** One request, and then the end in any way: the server may be about to read on. */
  enum Stranger implements MixKind {
    STRANGER;

    @Override
    public boolean speaks(Transport transport) {
      return transport.isTls();
    }

    @Override
    public void visit(Visit visit) throws IOException {
      try (Line line = visit.open(0)) {
        Http1Reader in = new Http1Reader(line.socket().getInputStream(), visit.row());
        Ask ask =
            visit.random().nextInt(8) == 0
                ? Ask.stranger(visit.random())
                : Ask.range(MarkedArtifact.PUBLIC, visit.token(), visit.random(), 1 << 16);
        boolean isLast = visit.random().nextBoolean();
        visit.send(line, ask.head(isLast));
        in.answer(ask);
        if (isLast && visit.random().nextBoolean()) {
          in.requireEnd();
        }
        line.end(visit.random());
      }
    }
  }

  static Stream<Transport> transports() {
    List<String> all = List.of(Transport.TLS_1_2.name(), Transport.TLS_1_3.name());
    return Drawn.from(all, "mix.transports", MixCrowd.SEED).map(Transport::valueOf);
  }

  @ParameterizedTest
  @MethodSource("transports")
  void strangersGetTheirOwnBytes(Transport transport, @TempDir Path folder) throws Exception {
    long seed = MixCrowd.SEED;
    String what = "%s, -Dmix.seed=%d -Dmix.connections=%d".formatted(transport, seed, CONNECTIONS);
    Tally tally = new Tally();
    String kind = transport + " STRANGER";
    try (MixSite site = MixSite.start(folder, Backend.FILE, true);
        MixCrowd readers = new MixCrowd(site, tally, seed);
        MixCrowd strangers = new MixCrowd(site, tally, seed + 1)) {
      for (int i = 0; i < READERS; i++) {
        readers.add(MixReader.READER_OF_PRIVATE, transport);
      }
      for (int i = 0; i < STRANGERS; i++) {
        strangers.add(
            Stranger.STRANGER,
            transport,
            () -> tally.row(kind).get(Count.CONNECTIONS) < CONNECTIONS);
      }
      strangers.await();
    } finally {
      System.out.printf("%s%n%s%n", what, tally);
    }
    tally.requireSound(what);
    assertThat(tally.row(kind).get(Count.ANSWERS)).isGreaterThan(CONNECTIONS / 2);
  }
}
