package io.artifactserver.rest.server.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class UnnamedProxiesTest {
  private final List<List<String>> told = new ArrayList<>();
  private final UnnamedProxies proxies = new UnnamedProxies(told::add);

  @ParameterizedTest
  @EnumSource(names = {"X_FORWARDED_FOR", "FORWARDED", "VIA"})
  void anAddressOfManyClientsIsAProxy(HttpHeader header) {
    for (int i = 0; i < 7; i++) {
      send("10.0.0.5", header, i);
      send("10.0.0.5", header, i);
    }
    assertThat(proxies.addresses()).isEmpty();
    send("10.0.0.6", header, 7);
    assertThat(proxies.addresses()).isEmpty();
    send("10.0.0.5", header, 7);
    assertThat(proxies.addresses()).containsExactly("10.0.0.5");
    proxies.tell();
    proxies.tell();
    assertThat(told).containsExactly(List.of("10.0.0.5"));
  }

  @Test
  void aRequestThatComesDirectlyHasNoSuchField() {
    assertThat(
            UnnamedProxies.forwarded(
                HttpFields.build().add("Host", "a").add("Authorization", "Bearer b")))
        .isNull();
  }

  /** Anybody can write these fields. */
  @Test
  void inventedClientsCostLittle() {
    for (int address = 0; address < 2_000; address++) {
      for (int i = 0; i < 10; i++) {
        send("10.1.%d.%d".formatted(address / 200, address % 200), HttpHeader.FORWARDED, i);
      }
    }
    assertThat(proxies.addresses()).hasSizeLessThanOrEqualTo(16);
  }

  private void send(String peer, HttpHeader header, int client) {
    HttpFields fields =
        HttpFields.build()
            .add("Host", "a")
            .add(header, header == HttpHeader.VIA ? "1.1 proxy" : "192.0.2." + client)
            .add("Authorization", "Bearer " + client);
    HttpField forwarded = Objects.requireNonNull(UnnamedProxies.forwarded(fields));
    proxies.note(InetAddress.ofLiteral(peer), forwarded, fields);
  }
}
