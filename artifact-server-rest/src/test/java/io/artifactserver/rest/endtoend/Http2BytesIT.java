package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.MixSite.Backend;
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
 * A stranger resets streams whose bytes the server has still to write, while others download a
 * private encrypted artifact, and reads on: nothing of that may come, nor anything else that it did
 * not ask for. {@code -Dmix.resets} says how many resets of each kind, {@code -Dmix.seed} repeats
 * what the clients choose.
 */
class Http2BytesIT {
  private static final long RESETS = Long.getLong("mix.resets", 60);
  private static final int ATTACKERS = 2;
  private static final int READERS = 3;

  /** A receive buffer, in bytes: most of what is under way waits in the server. */
  private static final int SMALL = 64 * 1024;

  /** The server's, per second and connection. */
  private static final int MAX_CONTROL_FRAMES = 2_000;

  private static final int STREAMS = 16;

  /** The stranger's attacks; each is the life of a connection. */
  enum Attack implements MixKind {
    DATA_AND_RESET_OF_100_RANGES {
      @Override
      public void visit(Visit visit) throws IOException {
        dataAndReset(visit, Ask.scattered(MarkedArtifact.PUBLIC, visit.token(), 100));
      }
    },

    DATA_AND_RESET_OF_AN_ENCRYPTED_ARTIFACT {
      @Override
      public void visit(Visit visit) throws IOException {
        dataAndReset(visit, Ask.ranges(MarkedArtifact.ENCRYPTED, visit.token(), List.of()));
      }
    },

    RESETS_BEYOND_THE_RATE {
      @Override
      public void visit(Visit visit) throws IOException {
        try (Http2Conversation conversation =
            new Http2Conversation(visit, SMALL, Http2Conversation.NO_LIMIT)) {
          for (int i = 0; i < STREAMS; i++) {
            conversation.ask(
                i % 2 == 0
                    ? Ask.scattered(MarkedArtifact.PUBLIC, visit.token(), 100)
                    : Ask.ranges(MarkedArtifact.ENCRYPTED, visit.token(), List.of()));
          }
          conversation.awaitFull();
          conversation.flood(MAX_CONTROL_FRAMES * 2);
          conversation.awaitFull();
          conversation.settle();
        }
      }
    },

    RESETS_IN_A_RACE {
      @Override
      public void visit(Visit visit) throws IOException {
        Http2Mix.RESETS.visit(visit);
      }
    };

    @Override
    public boolean speaks(Transport transport) {
      return transport.isHttp2();
    }
  }

  private static void dataAndReset(MixKind.Visit visit, Ask ask) throws IOException {
    try (Http2Conversation conversation =
        new Http2Conversation(visit, SMALL, Http2Conversation.NO_LIMIT)) {
      for (int i = visit.random().nextInt(1, STREAMS + 1); i > 0; i--) {
        conversation.ask(ask);
      }
      conversation.awaitFull();
      List<Integer> streams = conversation.openStreams();
      for (int stream : streams) {
        conversation.sendData(stream);
      }
      for (int stream : streams) {
        conversation.reset(stream);
      }
      // Others get the buffers meanwhile, if the server gives them away.
      conversation.awaitFull();
      conversation.settle();
    }
  }

  static Stream<Transport> transports() {
    List<String> all = List.of(Transport.H2C.name(), Transport.H2_TLS_1_3.name());
    return Drawn.from(all, "mix.transports", MixCrowd.SEED).map(Transport::valueOf);
  }

  @ParameterizedTest
  @MethodSource("transports")
  void aStrangerReadsNothingOfOthers(Transport transport, @TempDir Path folder) throws Exception {
    long seed = MixCrowd.SEED;
    String what = "%s, -Dmix.seed=%d -Dmix.resets=%d".formatted(transport, seed, RESETS);
    Tally tally = new Tally();
    try (MixSite site = MixSite.start(folder, Backend.ENCRYPTED, transport.isTls());
        MixCrowd readers = new MixCrowd(site, tally, seed)) {
      for (int i = 0; i < READERS; i++) {
        readers.add(
            MixReader.READER_OF_SEALED, transport.isTls() ? Transport.TLS_1_3 : Transport.H1);
      }
      for (Attack attack : Attack.values()) {
        String kind = transport + " " + attack.name();
        try (MixCrowd attackers = new MixCrowd(site, tally, seed)) {
          for (int i = 0; i < ATTACKERS; i++) {
            attackers.add(attack, transport, () -> tally.row(kind).get(Count.RESETS) < RESETS);
          }
          attackers.await();
        }
        assertThat(tally.row(kind).get(Count.BYTES)).as(kind).isPositive();
      }
    } finally {
      System.out.printf("%s%n%s%n", what, tally);
    }
    tally.requireSound(what);
  }
}
