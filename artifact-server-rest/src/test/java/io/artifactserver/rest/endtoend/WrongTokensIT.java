package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.access.TokenSecret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/**
 * Devices behind a proxy that nobody named, which have one address with somebody who sends wrong
 * tokens. Their own are not in memory: each comes for the first time.
 */
@Transports(
    value = {Transport.HTTP1, Transport.H2},
    nightly = {Transport.H2C, Transport.TLS12, Transport.TLS13})
class WrongTokensIT extends EachTransport {
  private static final int DEVICES = 100;
  private static final int ATTACKERS = 4;

  /** Its own: other tests come from the usual one, and their wrong tokens are told so. */
  private static final String ADDRESS = "127.0.0.5";

  @Test
  void devicesThatComeFirstAreServed() throws Exception {
    try (Operator admin = server.operator()) {
      List<String> tokens = new ArrayList<>();
      for (int i = 0; i < DEVICES; i++) {
        String made =
            admin
                .json("POST", "/api/v1/tokens", "{\"name\":\"%s-%d\"}".formatted(transport, i))
                .body();
        tokens.add(JsonMapper.shared().readTree(made).get("token").asString());
      }
      AtomicBoolean isOver = new AtomicBoolean();
      AtomicInteger refused = new AtomicInteger();
      List<CompletableFuture<Void>> attackers = new ArrayList<>();
      for (int i = 0; i < ATTACKERS; i++) {
        attackers.add(CompletableFuture.runAsync(() -> attack(isOver, refused)));
      }
      eventuallyPasses(
          "the address has used up its wrong tokens", () -> assertThat(refused).hasPositiveValue());
      List<Integer> statuses = new ArrayList<>();
      for (int i = 0; i < DEVICES; i++) {
        statuses.add(download(tokens.get(i), i));
      }
      // The same on the control plane.
      String made =
          admin
              .json(
                  "POST",
                  "/api/v1/tokens",
                  "{\"name\":\"%s\",\"role\":\"reader\"}".formatted(transport))
              .body();
      try (Wire wire = connect()) {
        wire.send(
            "GET /api/v1/repositories HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n\r\n"
                .formatted(JsonMapper.shared().readTree(made).get("token").asString()));
        statuses.add(wire.receive(true).status());
      }
      isOver.set(true);
      for (CompletableFuture<Void> each : attackers) {
        each.get();
      }
      System.out.printf(
          "  %s: of %d requests with good tokens %d were served, beside %d refusals%n",
          transport,
          statuses.size(),
          statuses.stream().filter(status -> status < 300).count(),
          refused.get());
      assertThat(statuses).containsOnly(200, 206);
      assertThat(admin.get("/actuator/health").body())
          .containsPattern("\"unnamed\":\\[[^\\]]*\"" + ADDRESS + '"');
      // Of whichever address: there is one such line in an hour.
      assertThat(server.server().log().split("requests from many clients", -1)).hasSize(2);
      eventuallyPasses(
          "doctor is told",
          () ->
              assertThat(server.server().dataFolder().resolve("unnamed-proxies"))
                  .content()
                  .containsOnlyOnce(ADDRESS));
    }
  }

  private Wire connect() throws IOException {
    return server.open(InetAddress.getByName(ADDRESS));
  }

  private int download(String token, int device) throws IOException {
    try (Wire wire = connect()) {
      wire.send(
          "GET /artifacts/secret/table.bin HTTP/1.1\r\nHost: a\r\nRange: bytes=0-9\r\nX-Forwarded-For: 192.0.2.%d\r\nAuthorization: Bearer %s\r\n\r\n"
              .formatted(device, token));
      return wire.receive(true).status();
    }
  }

  private void attack(AtomicBoolean isOver, AtomicInteger refused) {
    try (Wire wire = connect()) {
      while (!isOver.get()) {
        wire.send(
            "GET /artifacts/secret/table.bin HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n\r\n"
                .formatted(TokenSecret.generate().reveal()));
        if (wire.receive(true).status() == 429) {
          refused.incrementAndGet();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
