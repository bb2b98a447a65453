package io.artifactserver.rest.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DisconnectedClientsTest {
  /** As Jetty and the system say it. */
  @ParameterizedTest
  @ValueSource(
      strings = {"cancel_stream_error/input_shutdown", "Broken pipe", "Connection reset by peer"})
  void aClientThatLeavesIsNoFault(String message) {
    assertThat(DisconnectedClients.hasLeft(new IOException(message))).isTrue();
    assertThat(DisconnectedClients.hasLeft(new ClosedChannelException())).isTrue();
  }

  @Test
  void anotherFailureStaysOne() {
    assertThat(DisconnectedClients.hasLeft(new IOException("Input/output error"))).isFalse();
    assertThat(DisconnectedClients.hasLeft(new IOException())).isFalse();
  }
}
