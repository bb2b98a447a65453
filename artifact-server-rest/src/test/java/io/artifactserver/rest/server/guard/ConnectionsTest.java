package io.artifactserver.rest.server.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

class ConnectionsTest {
  private static final int MAX = 10;

  /** The limit, and the least number of those beyond it that are answered. */
  private static final int HARD_LIMIT = MAX + 16;

  private final Connections connections =
      new Connections(
          new ConnectionProperties(
              MAX,
              0,
              List.of(),
              Duration.ofMinutes(1),
              Duration.ofMinutes(1),
              Duration.ofMinutes(1),
              Duration.ofMinutes(1),
              DataSize.ofBytes(0),
              Duration.ofMinutes(1),
              DataSize.ofMegabytes(64)),
          new UnnamedProxies(_ -> {}),
          new SimpleMeterRegistry());
  private final List<SocketChannel> channels = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    connections.close();
    for (SocketChannel channel : channels) {
      channel.close();
    }
  }

  /** Acceptors are faster than selectors: none of a burst is open when the last is accepted. */
  @Test
  void limitCountsWhatIsAcceptedAndNotYetOpen() throws IOException {
    accept(HARD_LIMIT);
    assertThat(channels).allMatch(SocketChannel::isOpen);
    accept(3);
    assertThat(channels.subList(HARD_LIMIT, channels.size())).noneMatch(SocketChannel::isOpen);
  }

  @Test
  void connectionThatCouldNotBeOpenedDoesNotCount() throws IOException {
    accept(HARD_LIMIT);
    connections.onAcceptFailed(channels.getFirst(), new IOException("planted"));
    accept(1);
    assertThat(channels.getLast().isOpen()).isTrue();
    accept(1);
    assertThat(channels.getLast().isOpen()).isFalse();
  }

  private void accept(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      SocketChannel channel = SocketChannel.open();
      channels.add(channel);
      connections.onAccepting(channel);
    }
  }
}
