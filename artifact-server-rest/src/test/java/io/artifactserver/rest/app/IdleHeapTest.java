package io.artifactserver.rest.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** In a Java with the launcher's options, and a heap of 512 MB. */
class IdleHeapTest {
  private static final int BURST_MIB = 300;
  private static final long MIB = 1024 * 1024;

  @Test
  void whatABurstNeededGoesBackToTheSystem() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + Path.of("src/main/launcher/jvm-options"),
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                Burst.class.getName())
            .redirectErrorStream(true)
            .start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    List<Long> sizes =
        Arrays.stream(output.substring(output.lastIndexOf('\n') + 1).split(" "))
            .map(Long::valueOf)
            .toList();
    long large = sizes.get(0);
    long afterBusyMinute = sizes.get(1);
    long afterIdleMinute = sizes.get(2);
    assertThat(large).isGreaterThan(BURST_MIB);
    assertThat(afterBusyMinute).isEqualTo(large);
    assertThat(afterIdleMinute).isLessThan(110);
  }

  /** Prints how many MiB the heap has: after a burst, a busy minute later, an idle one later. */
  static final class Burst {
    private Burst() {}

    public static void main(String[] arguments) {
      IdleHeap idle = new IdleHeap();
      idle.look();
      long held = hold();
      long large = committed();
      // There were collections since the last look.
      idle.look();
      long busy = committed();
      idle.look();
      if (held == BURST_MIB * MIB) {
        System.out.println(large + " " + busy + " " + committed());
      }
    }

    private static long hold() {
      List<byte[]> held = new ArrayList<>();
      for (int i = 0; i < BURST_MIB; i++) {
        held.add(new byte[(int) MIB]);
      }
      return held.stream().mapToLong(each -> each.length).sum();
    }

    private static long committed() {
      MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
      return heap.getCommitted() / MIB;
    }
  }
}
