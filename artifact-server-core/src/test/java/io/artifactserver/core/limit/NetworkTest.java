package io.artifactserver.core.limit;

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
      strings = {
        "",
        "/",
        "/8",
        "proxy.example",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/+8",
        "10.0.0.0/x",
        "10.0.0.0/8/8",
        "10.0.0.0/99999999999",
        "10.0.0/8",
        "10.1/16",
        "167772160",
        "256.0.0.0/8",
        "::/129",
        ":::/8",
        "1::2::3/8",
        "10.0.0.0 /8",
        "10.0.0.0/ 8",
        "10.0.0.0/\u0668"
      })
  void refusesWhatIsNoNetworkAndLooksNoNameUp(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> Network.parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"10.1.2.3/16", "0.0.0.0/0", "2001:db8:0:0:0:0:0:1/48", "0:0:0:0:0:0:0:0/0"})
  void isWrittenAsItIsRead(String text) {
    assertThat(Network.parse(text)).hasToString(text);
    assertThat(Network.parse("::ffff:10.0.0.1")).hasToString("10.0.0.1/32");
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
