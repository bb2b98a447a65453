package io.artifactserver.rest.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8,       10.255.0.1,   true",
    "10.0.0.0/8,       11.0.0.1,     false",
    "192.168.1.7,      192.168.1.7,  true",
    "192.168.1.7,      192.168.1.6,  false",
    "192.168.1.128/25, 192.168.1.200, true",
    "192.168.1.128/25, 192.168.1.100, false",
    "0.0.0.0/0,        8.8.8.8,      true",
    "0.0.0.0/0,        ::1,          false",
    "fd00::/8,         fdab::1,      true",
    "fd00::/8,         fe80::1,      false",
    "::1,              ::1,          true",
    "::ffff:10.0.0.1,  10.0.0.1,     true",
  })
  void contains(String network, String address, boolean expected) {
    assertThat(Network.parse(network).contains(InetAddress.ofLiteral(address))).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "proxy.example", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "::/129", "/8"})
  void refusesWhatIsNoNetworkAndLooksNoNameUp(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> Network.parse(text));
  }

  @Test
  void clientIsAnAddressOrTheNetworkOfAnIpv6Customer() {
    assertThat(client("192.0.2.1"))
        .isEqualTo(client("192.0.2.1"))
        .isNotEqualTo(client("192.0.2.2"));
    assertThat(client("2001:db8:0:1::5"))
        .isEqualTo(client("2001:db8:0:1:ffff::9"))
        .isNotEqualTo(client("2001:db8:0:2::5"));
  }

  private static Network client(String address) {
    return Network.ofClient(InetAddress.ofLiteral(address));
  }
}
