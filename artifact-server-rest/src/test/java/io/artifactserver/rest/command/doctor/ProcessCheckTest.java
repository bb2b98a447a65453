package io.artifactserver.rest.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcessCheckTest {
  private static final long MIB = 1L << 20;

  @TempDir private Path root;

  @ParameterizedTest
  @CsvSource({
    "1024, 1048576, OK",
    "1024, unlimited, OK",
    "1024, 11024, OK",
    "1024, 11023, WARN",
    "1024, 1024, WARN",
    "1023, 1023, FAIL",
  })
  void comparesDescriptorsWithConnections(String soft, String hard, Verdict verdict)
      throws IOException {
    new Machine(root).limits(soft, hard);
    Finding finding = find("open files", 10_000, machine(2048, 512, 128));
    assertThat(finding.verdict()).isEqualTo(verdict);
    assertThat(finding.fix().contains("ulimit -Hn 11024")).isEqualTo(verdict != Verdict.OK);
  }

  @Test
  void tellsThatThereAreNoLimitsToRead() {
    assertThat(find("open files", 1, machine(2048, 512, 128)).value()).isEqualTo("unknown");
  }

  /** Memory, heap, buffers, in MiB. */
  @ParameterizedTest
  @CsvSource({
    "2048, 512, 128, OK",
    "1024, 512, 128, WARN",
    "512, 160, 128, WARN",
    "512, 512, 128, FAIL",
    "256, 64, 128, FAIL",
  })
  void leavesRoomForThePageCache(long memory, long heap, long buffers, Verdict verdict)
      throws IOException {
    new Machine(root);
    Finding finding = find("memory", 1, machine(memory, heap, buffers));
    assertThat(finding.verdict()).isEqualTo(verdict);
    assertThat(finding.fix().isEmpty()).isEqualTo(verdict == Verdict.OK);
  }

  @Test
  void inAContainerTheFixIsMoreMemory() throws IOException {
    new Machine(root).file(".dockerenv", "");
    assertThat(find("memory", 1, machine(512, 512, 128)).fix())
        .isEqualTo("SERVER_MEMORY=1680m docker compose up --detach");
  }

  @Test
  void knowsItsOwnLimits() {
    VirtualMachine current = VirtualMachine.current();
    assertThat(current.maxHeap()).isEqualTo(Runtime.getRuntime().maxMemory());
    assertThat(current.maxDirect()).isPositive();
    assertThat(current.memory()).isGreaterThan(64 * MIB);
    assertThat(current.collector()).isNotBlank();
  }

  private static VirtualMachine machine(long memory, long heap, long buffers) {
    return new VirtualMachine("25", "Copy", memory * MIB, heap * MIB, buffers * MIB);
  }

  private Finding find(String name, int connections, VirtualMachine virtualMachine) {
    return new ProcessCheck(new Host(root), virtualMachine, connections)
        .findings().stream()
            .filter(finding -> finding.name().equals(name))
            .findFirst()
            .orElseThrow();
  }
}
