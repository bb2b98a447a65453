package io.artifactserver.rest.server.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.limit.Network;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where a request comes from, whatever a client writes into it. */
class ClientAddressesTest {
  private final ClientAddresses addresses =
      new ClientAddresses(Stream.of("10.0.0.0/24", "fd00::/8").map(Network::parse).toList());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "192.0.2.1  |                                   | 192.0.2.1",
        // A stranger's field says nothing.
        "192.0.2.1  | 198.51.100.7                      | 192.0.2.1",
        "10.0.0.1   | 198.51.100.7                      | 198.51.100.7",
        "fd00::1    | 2001:db8::7                       | 2001:db8::7",
        "10.0.0.1   | 203.0.113.9, 198.51.100.7         | 198.51.100.7",
        "10.0.0.1   | 203.0.113.9,198.51.100.7,10.0.0.2 | 198.51.100.7",
        "10.0.0.1   | 10.0.0.3, 10.0.0.2                | 10.0.0.3",
        "10.0.0.1   |                                   | 10.0.0.1",
        "10.0.0.1   | unknown                           | 10.0.0.1",
        "10.0.0.1   | 198.51.100.7, example.com         | 10.0.0.1",
        "10.0.0.1   | 198.51.100.7, 1.2.3.4:80          | 10.0.0.1",
        "10.0.0.1   | 198.51.100.7, bad, 10.0.0.2       | 10.0.0.2",
        "10.0.0.1   | ,                                 | 10.0.0.1",
        "10.0.0.1   | \"                                 | 10.0.0.1",
        "10.0.0.1   | \"203.0.113.9, 198.51.100.7         | 198.51.100.7",
        "10.0.0.1   | 198.51.100.7, \"x\", 10.0.0.2       | 10.0.0.2",
        "10.0.0.1   | ::ffff:10.0.0.9                   | 10.0.0.9"
      })
  void isTheLastThatNoTrustedProxyHas(String peer, @Nullable String field, String origin) {
    HttpFields.Mutable fields = HttpFields.build();
    if (field != null) {
      fields.add("X-Forwarded-For", field);
    }
    assertThat(addresses.origin(socket(peer), fields)).contains(InetAddress.ofLiteral(origin));
  }

  @Test
  void fieldsAreReadInTheirOrder() {
    HttpFields fields =
        HttpFields.build()
            .add("X-Forwarded-For", "198.51.100.1")
            .add("X-Forwarded-For", "198.51.100.2");
    assertThat(addresses.origin(socket("10.0.0.1"), fields))
        .contains(InetAddress.ofLiteral("198.51.100.2"));
    assertThat(addresses.origin(null, fields)).isEmpty();
  }

  private static InetSocketAddress socket(String address) {
    return new InetSocketAddress(InetAddress.ofLiteral(address), 1);
  }
}
