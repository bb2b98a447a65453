package io.artifactserver.rest.command.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The figures, the rate and the time left, and the lines that show them. */
class ProgressTest {
  private final Pace pace = new Pace();

  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "999, 999 B",
    "1000, 1.0 kB",
    "999949, 999.9 kB",
    "999999, 1.0 MB",
    "64000000, 64.0 MB",
    "16000000000, 16.0 GB",
    "9223372036854775807, 9223.4 PB"
  })
  void amountsAreShort(long bytes, String text) {
    assertThat(Figures.bytes(bytes)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0:00",
    "5, 0:05",
    "754, 12:34",
    "3723, 1:02:03",
    "359999, 99:59:59",
    "360000, days",
    "9223372036854775807, days"
  })
  void timesAreShort(long seconds, String text) {
    assertThat(Figures.time(seconds)).isEqualTo(text);
  }

  @Test
  void nothingIsKnownBeforeBytesMove() {
    assertThat(pace.bytesPerSecond()).isZero();
    assertThat(pace.secondsLeft(100)).isEmpty();
    at(0, 50);
    assertThat(pace.secondsLeft(100)).isEmpty();
    at(1, 50);
    assertThat(pace.bytesPerSecond()).isZero();
    assertThat(pace.secondsLeft(100)).isEmpty();
  }

  @Test
  void bytesThatWereThereDoNotCount() {
    at(0, 1_000_000);
    at(2, 1_000_200);
    assertThat(pace.bytesPerSecond()).isEqualTo(100);
    assertThat(pace.secondsLeft(1_000_300)).hasValue(1);
    assertThat(pace.secondsLeft(1_000_301)).hasValue(2);
    assertThat(pace.secondsLeft(1_000_200)).hasValue(0);
  }

  @Test
  void theRateIsThatOfTheLastSeconds() {
    for (int second = 0; second <= 100; second++) {
      at(second, second < 50 ? second * 1_000L : 50_000L + (second - 50) * 10L);
    }
    assertThat(pace.bytesPerSecond()).isEqualTo(10);
  }

  @Test
  void aStepBackBeginsAgain() {
    at(0, 0);
    at(1, 1_000);
    at(2, 400);
    assertThat(pace.bytesPerSecond()).isZero();
    at(3, 500);
    assertThat(pace.bytesPerSecond()).isEqualTo(100);
  }

  @Test
  void aTerminalGetsABar() {
    assertThat(line(27_100_000).onTerminal(80))
        .isEqualTo(
            "firmware.img  42% [======>           ] 27.1 MB of 64.0 MB, 12.3 MB/s, 0:03 left");
    assertThat(line(0).onTerminal(80)).matches("firmware.img   0% \\[ +\\] .*");
    assertThat(line(64_000_000).onTerminal(80)).matches("firmware.img 100% \\[=+\\] .*");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20, 40, 60, 80, 81, 100, 200, 400})
  void aLineFitsItsTerminal(int columns) {
    for (long position = 0; position <= 64_000_000; position += 1_000_000) {
      assertThat(line(position).onTerminal(columns)).hasSizeLessThan(columns);
    }
  }

  @Test
  void aLogGetsALine() {
    assertThat(line(27_100_000).plain())
        .isEqualTo("firmware.img: 42%, 27.1 MB of 64.0 MB, 12.3 MB/s, 0:03 left");
    assertThat(new TransferLine("empty", 0, 0, 0, OptionalLong.empty()).plain())
        .isEqualTo("empty: 100%, 0 B of 0 B");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20, 40, 80})
  void aWaitIsALineThatFitsItsTerminal(int columns) {
    WaitLine line = new WaitLine("firmware.img", "the server is putting 8 parts together", 83);
    assertThat(line.plain())
        .isEqualTo("firmware.img: the server is putting 8 parts together, 1:23 so far");
    assertThat(line.onTerminal(columns)).hasSizeLessThan(columns);
    assertThat(line.plain()).startsWith(line.onTerminal(columns));
  }

  @Test
  void aLongNameIsCutInItsMiddle() {
    String name = "linux-image-" + "x".repeat(60) + "-arm64.img";
    assertThat(new TransferLine(name, 1, 2, 0, OptionalLong.empty()).onTerminal(80))
        .startsWith("linux-image-x...xxxx-arm64.img");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u6f22\u5b57", "\ud55c\uae00", "\ud83d\ude80", "e\u0301", "\uff21"})
  void aWideNameFitsItsTerminalToo(String character) {
    for (int repeats : new int[] {1, 10, 40}) {
      TransferLine line =
          new TransferLine(character.repeat(repeats), 1_000, 2_000, 12.3e6, OptionalLong.of(3));
      for (int columns : new int[] {1, 20, 21, 40, 80}) {
        String shown = line.onTerminal(columns);
        assertThat(width(shown)).isLessThan(columns);
        assertThat(shown.codePoints().noneMatch(c -> c >= 0xd800 && c < 0xe000)).isTrue();
      }
    }
  }

  /** As wcwidth has it for these characters. */
  private static long width(String text) {
    return text.codePoints().map(c -> c == 0x301 ? 0 : c < 0x3000 ? 1 : 2).sum();
  }

  private static TransferLine line(long position) {
    return new TransferLine("firmware.img", position, 64_000_000, 12.3e6, OptionalLong.of(3));
  }

  private void at(int second, long position) {
    pace.sample(TimeUnit.SECONDS.toNanos(second), position);
  }
}
