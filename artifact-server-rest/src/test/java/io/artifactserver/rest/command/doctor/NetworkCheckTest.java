package io.artifactserver.rest.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetworkCheckTest {
  @TempDir private Path root;
  private Machine machine;

  @BeforeEach
  void linuxOutOfTheBox() throws IOException {
    machine = new Machine(root);
  }

  /** Setting, value, verdict, fix. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "net.ipv4.tcp_wmem|4096 16384 4194304|WARN|sysctl -w net.ipv4.tcp_wmem='4096 16384 67108864'",
        "net.ipv4.tcp_wmem|4096 16384 16777216|OK|-",
        "net.ipv4.tcp_rmem|4096 131072 2097152|WARN|sysctl -w net.ipv4.tcp_rmem='4096 131072 67108864'",
        "net.ipv4.tcp_rmem|4096 131072 6291456|OK|-",
        "net.ipv4.tcp_congestion_control|bbr|OK|-",
        "net.ipv4.tcp_congestion_control|cubic|WARN|modprobe tcp_bbr && sysctl -w"
            + " net.ipv4.tcp_congestion_control=bbr",
        "net.ipv4.tcp_slow_start_after_idle|0|OK|-",
        "net.ipv4.tcp_slow_start_after_idle|1|WARN|sysctl -w net.ipv4.tcp_slow_start_after_idle=0",
        "net.ipv4.tcp_notsent_lowat|131072|OK|-",
        "net.ipv4.tcp_notsent_lowat|4294967295|WARN|sysctl -w net.ipv4.tcp_notsent_lowat=131072",
        "net.core.somaxconn|128|WARN|sysctl -w net.core.somaxconn=4096",
        "net.core.somaxconn|65535|OK|-",
        "net.ipv4.tcp_max_syn_backlog|128|OK|-",
        "net.ipv4.tcp_mem|100 200 20000|WARN|sysctl -w net.ipv4.tcp_mem='80000 120000 160000'",
        "net.netfilter.nf_conntrack_max|8192|WARN|sysctl -w net.netfilter.nf_conntrack_max=262144",
        "net.netfilter.nf_conntrack_max|65536|OK|-",
      })
  void judgesASetting(String setting, String value, Verdict verdict, String fix)
      throws IOException {
    machine.set(setting, value.replace(' ', '\t'));
    Finding finding = finding(setting);
    assertThat(finding.verdict()).isEqualTo(verdict);
    assertThat(finding.value()).isEqualTo(value);
    assertThat(finding.fix()).isEqualTo(fix == null ? "" : fix);
    assertThat(finding.meaning()).isNotBlank();
  }

  @Test
  void bbrThatIsLoadedNeedsNoModule() throws IOException {
    machine.set("net.ipv4.tcp_available_congestion_control", "reno cubic bbr");
    assertThat(finding("net.ipv4.tcp_congestion_control").fix())
        .isEqualTo("sysctl -w net.ipv4.tcp_congestion_control=bbr");
  }

  @Test
  void aShortSynBacklogHurtsWithoutCookies() throws IOException {
    machine.set("net.ipv4.tcp_syncookies", "0");
    assertThat(finding("net.ipv4.tcp_max_syn_backlog"))
        .returns(Verdict.WARN, Finding::verdict)
        .returns("sysctl -w net.ipv4.tcp_syncookies=1", Finding::fix);
  }

  @Test
  void whatOneConnectionCarriesFollowsFromTheSendBuffer() throws IOException {
    machine.set("net.ipv4.tcp_wmem", "4096\t16384\t4194304");
    assertThat(check().singleStream(Duration.ofMillis(200)).orElseThrow())
        .isEqualTo(15.7e6, within(0.05e6));
    assertThat(finding("net.ipv4.tcp_wmem").meaning())
        .contains("62.9 MB/s at a round trip of 50 ms", "15.7 MB/s at 200 ms");
  }

  @Test
  void inAContainerTheFixIsTheComposeFiles() throws IOException {
    machine.file(".dockerenv", "");
    assertThat(finding("net.ipv4.tcp_wmem").fix())
        .startsWith("TCP_BUFFER=67108864 docker compose up --detach");
    assertThat(finding("net.ipv4.tcp_congestion_control").fix()).contains("on the host");
  }

  /** A namespace of its own does not show all settings. */
  @Test
  void whatCannotBeSeenIsSaidOrLeftOut() throws IOException {
    machine.without("net.core.somaxconn").without("net.ipv4.tcp_mem");
    machine.set("net.ipv4.tcp_wmem", "nonsense");
    assertThat(finding("net.core.somaxconn"))
        .returns("unknown", Finding::value)
        .returns(Verdict.WARN, Finding::verdict);
    assertThat(finding("net.ipv4.tcp_wmem")).returns("unknown", Finding::value);
    assertThat(check().findings()).noneMatch(finding -> finding.name().equals("net.ipv4.tcp_mem"));
    assertThat(check().singleStream(Duration.ofMillis(200))).isEmpty();
  }

  /** Pseudo files are not read like others. */
  @Test
  void readsTheMachineItRunsOn() {
    Host here = new Host(Path.of("/"));
    assertThat(here.setting("net.ipv4.tcp_wmem").orElseThrow()).matches("\\d+ \\d+ \\d+");
    assertThat(here.limit("net.ipv4.tcp_wmem").orElseThrow()).isGreaterThan(4096);
    assertThat(here.text("proc/self/limits").orElseThrow()).contains("Max open files");
  }

  private NetworkCheck check() {
    return new NetworkCheck(machine.host(), 10_000);
  }

  private Finding finding(String name) {
    return check().findings().stream()
        .filter(finding -> finding.name().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
