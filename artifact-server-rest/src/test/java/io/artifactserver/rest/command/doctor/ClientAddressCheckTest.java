package io.artifactserver.rest.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientAddressCheckTest {
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "10.0.0.5, 203.0.113.9, '203.0.113.9', OK, as the proxy at 10.0.0.5 says",
        "10.0.0.5, 203.0.113.9, '192.0.2.7, 203.0.113.9', OK, as the proxy at 10.0.0.5 says",
        "127.0.0.1, 127.0.0.1, '127.0.0.1', OK, as the proxy at 127.0.0.1 says",
        "203.0.113.9, 203.0.113.9, '192.0.2.7', WARN, of your network",
        "10.0.0.5, 10.0.0.5, '203.0.113.9', FAIL, does not believe the proxy",
        "10.0.0.5, 10.0.0.5, '192.0.2.7, 203.0.113.9', FAIL, does not believe the proxy",
        "10.0.0.5, 10.0.0.5, -, FAIL, takes X-Forwarded-For away",
        "10.0.0.5, 192.0.2.7, '192.0.2.7', FAIL, anybody can choose an address"
      })
  void judgesWhatArrives(
      String peer, String address, String forwardedFor, Verdict verdict, String meaning) {
    Finding finding =
        new ClientAddressCheck(
                peer, address, forwardedFor == null ? List.of() : List.of(forwardedFor), false)
            .finding();
    assertThat(finding.verdict()).isEqualTo(verdict);
    assertThat(finding.meaning()).contains(meaning);
  }

  @Test
  void onOneMachineThereMayBeNoProxy() {
    assertThat(
            new ClientAddressCheck("127.0.0.1", "127.0.0.1", List.of("192.0.2.7"), true).finding())
        .matches(finding -> finding.verdict() == Verdict.OK, "no warning");
  }

  @Test
  void namesTheProxyInTheSetting() {
    assertThat(
            new ClientAddressCheck("10.0.0.5", "10.0.0.5", List.of("203.0.113.9"), false)
                .finding()
                .fix())
        .startsWith("artifact-server.connections.trusted-proxies=10.0.0.5");
  }
}
