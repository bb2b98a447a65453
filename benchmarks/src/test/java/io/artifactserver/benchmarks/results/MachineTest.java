package io.artifactserver.benchmarks.results;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The machine, by the kernel's files. */
class MachineTest {
  @ParameterizedTest
  @ValueSource(strings = {"notsent_lowat", "congestion_control"})
  void readsWhatTheKernelIsSetTo(String setting) throws IOException {
    assertThat(Machine.tcp(setting))
        .isNotEmpty()
        .isEqualTo(Files.readAllLines(Path.of("/proc/sys/net/ipv4/tcp_" + setting)).getFirst());
  }

  @Test
  void aSettingThatIsNotThereIsEmpty() {
    assertThat(Machine.tcp("no_such_setting")).isEmpty();
  }

  @Test
  void thisMachineIsKnown() {
    Machine here = Machine.here();

    assertThat(here.cores()).isPositive();
    assertThat(here.memoryBytes()).isGreaterThan(100_000_000);
    assertThat(here.kernel()).startsWith("Linux ").contains("tcp_congestion_control");
  }

  @Test
  void aFirewallThatTracksConnectionsIsNoticed() {
    assertThat(ConnectionTracking.isInUse(() -> 0)).as("nothing ever was").isFalse();
    assertThat(ConnectionTracking.isInUse(() -> 17)).as("some were, some time ago").isFalse();
    AtomicInteger tracked = new AtomicInteger(17);
    assertThat(ConnectionTracking.isInUse(() -> tracked.getAndAdd(64))).isTrue();
  }
}
