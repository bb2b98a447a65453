package io.artifactserver.rest.server.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.limit.Network;
import io.artifactserver.rest.server.guard.Holdings.Holding;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HoldingsTest {
  private static final Network GREEDY = network("192.0.2.1");
  private static final Network MODEST = network("192.0.2.2");

  private final Holdings holdings = new Holdings(1000);
  private final List<String> ended = new ArrayList<>();

  @Test
  void addsUpAndForgets() {
    Holding first = open(GREEDY, "first");
    Holding second = open(null, "second");
    assertThat(first.add(300)).isEqualTo(300);
    assertThat(second.add(100)).isEqualTo(100);
    assertThat(holdings.total()).isEqualTo(400);
    assertThat(first.add(-300)).isZero();
    second.close();
    second.close();
    assertThat(holdings.total()).isZero();
    assertThat(second.add(50)).isZero();
    assertThat(holdings.total()).isZero();
    assertThat(ended).isEmpty();
  }

  @Test
  void whoHoldsMostGoesAndNotTheNewcomer() {
    open(GREEDY, "large").add(500);
    open(GREEDY, "small").add(100);
    open(MODEST, "other").add(350);
    Holding newcomer = open(null, "newcomer");
    newcomer.add(60);
    assertThat(ended).containsExactly("large");
    assertThat(holdings.total()).isEqualTo(510);
    assertThat(newcomer.bytes()).isEqualTo(60);
  }

  /** Many connections that hold little each are one client that holds much. */
  @Test
  void connectionsOfAClientCountTogether() {
    for (int i = 0; i < 80; i++) {
      open(GREEDY, "greedy").add(10);
    }
    open(MODEST, "modest").add(199);
    open(null, "newcomer").add(10);
    assertThat(ended).hasSize(14).containsOnly("greedy");
  }

  /** The heads that it has are in memory already; those that it sends next need not be. */
  @Test
  void whileThereIsLittleRoomAGreedyClientKeepsWhatItHasAndGetsNoMore() {
    Holdings large = new Holdings(100_000);
    for (int i = 0; i < 4; i++) {
      open(large, GREEDY, "greedy " + i).add(30_000);
    }
    assertThat(ended).hasSize(2);
    assertThat(large.total()).isEqualTo(60_000);
    ended.clear();
    open(large, GREEDY, "fits").add(27_000);
    assertThat(ended).isEmpty();
    Holding more = open(large, GREEDY, "more");
    assertThat(more.add(10_000)).isEqualTo(10_000);
    assertThat(more.add(1_000)).isZero();
    assertThat(ended).containsExactly("more");
    assertThat(large.total()).isEqualTo(87_000);
    assertThat(open(large, MODEST, "other").add(11_000)).isEqualTo(11_000);
    assertThat(open(large, null, "nobody").add(0)).isZero();
    assertThat(ended).containsExactly("more");
  }

  private Holding open(@Nullable Network client, String name) {
    return open(holdings, client, name);
  }

  private Holding open(Holdings of, @Nullable Network client, String name) {
    return of.open(client, () -> ended.add(name));
  }

  private static Network network(String address) {
    return Network.ofClient(InetAddress.ofLiteral(address));
  }
}
