package io.artifactserver.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import io.artifactserver.benchmarks.load.RangeServer.Lie;
import io.artifactserver.core.program.Programs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** wrk and h2load themselves, against a server that may lie. */
class ToolLoadTest {
  private static final int LENGTH = 300_001;
  private static final int RANGE_LENGTH = 20_480;
  private static final Content.Stamped CONTENT = Content.Stamped.of(LENGTH, 7);

  @TempDir Path folder;

  /** A program that is run, and its word for a wrong answer that it noticed itself. */
  enum Tool {
    WRK_RANDOM("wrk", RANGE_LENGTH),
    WRK_FIXED("wrk", RANGE_LENGTH),
    WRK_WHOLE("wrk", LENGTH),
    H2LOAD("h2load", RANGE_LENGTH);

    private final String program;
    private final int length;

    Tool(String program, int length) {
      this.program = program;
      this.length = length;
    }

    private ToolLoad load() {
      return switch (this) {
        case WRK_RANDOM -> new Wrk(4, Wrk.ANYWHERE, RANGE_LENGTH);
        case WRK_FIXED -> new Wrk(4, 100_000, RANGE_LENGTH);
        case WRK_WHOLE -> new Wrk(2, 0, Wrk.WHOLE);
        case H2LOAD -> new H2load(2, 3, 100_000, RANGE_LENGTH);
      };
    }

    boolean isHttp2() {
      return this == H2LOAD;
    }

    Round run(Target target) {
      Programs.assumeInstalled(program);
      return load()
          .run(
              target,
              ServerProbe.UNKNOWN,
              new RoundSettings(
                  CONTENT,
                  1,
                  1,
                  Duration.ofSeconds(1),
                  Duration.ofMinutes(2),
                  2,
                  0,
                  Optional.empty()));
    }
  }

  private RangeServer server(Lie lie, int honestRequests) throws IOException {
    Path file = folder.resolve("file");
    CONTENT.writeTo(file);
    return new RangeServer(Files.readAllBytes(file), lie, honestRequests);
  }

  @ParameterizedTest
  @EnumSource
  void countsWhatTheProgramCounted(Tool tool) throws IOException {
    try (RangeServer server = server(Lie.NONE, 0)) {
      Round round = tool.run(server.target());

      assertThat(round.failures()).isEmpty();
      assertThat(round.firstFailure()).isEmpty();
      assertThat(round.requests()).isPositive().isLessThan(server.requests());
      assertThat(round.bodyBytes()).isGreaterThanOrEqualTo(round.requests() * tool.length);
      assertThat(round.seconds()).isBetween(0.9, 60.0);
      assertThat(round.clientCpuSeconds()).isPositive();
      assertThat(round.latency().p50()).isPositive();
      assertThat(round.latency().p99()).isBetween(round.latency().p50(), round.latency().max());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWrongByteEndsTheRunBeforeAnyLoad(Tool tool) throws IOException {
    try (RangeServer server = server(Lie.WRONG_BYTE, 0)) {
      assertThatThrownBy(() -> tool.run(server.target()))
          .isInstanceOf(WrongBytesException.class)
          .hasMessageContaining("wrong byte at position");
      assertThat(server.requests()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerThatIsNoneIsAFailure(Tool tool) throws IOException {
    try (RangeServer server = server(Lie.ERROR, 0)) {
      Round round = tool.run(server.target());

      assertThat(round.requests()).isZero();
      assertThat(round.failures())
          .isEqualTo(Map.of(tool.isHttp2() ? "wrong length" : "status 503", 1L));
      assertThat(round.firstFailure()).isNotEmpty();
      assertThat(server.requests()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void failuresOfTheProgramAreTold(Tool tool) throws IOException {
    try (RangeServer server = server(Lie.ERROR, 5)) {
      Round round = tool.run(server.target());

      assertThat(round.failures()).containsKey(tool.isHttp2() ? "status 503" : "status");
      assertThat(round.firstFailure()).isNotEmpty();
      assertThat(round.requests()).isLessThanOrEqualTo(4);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "WRK_WHOLE")
  void theWholeFileIsNoRange(Tool tool) throws IOException {
    try (RangeServer server = server(Lie.IGNORES_RANGE, 1)) {
      Round round = tool.run(server.target());

      assertThat(round.failures()).containsKey(tool.isHttp2() ? "status 200" : "wrong length");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aServerThatIsNotThereIsAFailure(Tool tool) throws IOException {
    // A port that is taken, and on which nobody listens.
    try (Socket held = new Socket()) {
      held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      URI nobody = URI.create("http://127.0.0.1:" + held.getLocalPort() + "/file");

      Round round = tool.run(new Target(nobody, ""));

      assertThat(round.requests()).isZero();
      assertThat(round.failures()).hasSize(1);
    }
  }

  @Test
  void aProgramThatIsMissingIsNamedWithItsPackage() {
    assertThatThrownBy(() -> Program.find("no-such-program", "its-package"))
        .isInstanceOf(UsageException.class)
        .hasMessage("no-such-program is not installed. Debian has it: apt install its-package");
  }

  @Test
  void aProgramThatPrintsNothingUsefulDidNotRun() {
    RoundSettings settings =
        new RoundSettings(CONTENT, 1, 1, Duration.ZERO, Duration.ZERO, 1, 0, Optional.empty());
    for (Tool tool : Tool.values()) {
      assertThatThrownBy(() -> tool.load().understand("command not understood", settings, folder))
          .isInstanceOf(RequestFailedException.class)
          .hasMessageContaining("command not understood");
    }
  }
}
