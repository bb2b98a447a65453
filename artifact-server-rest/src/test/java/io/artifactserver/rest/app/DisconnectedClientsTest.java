package io.artifactserver.rest.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import org.eclipse.jetty.http2.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void aConnectionOfHttp2EndsWithACodeAndAReasonOfTheClient(ErrorCode code) {
    String message = code.name().toLowerCase(Locale.ROOT) + "/a reason of the client's";
    assertThat(DisconnectedClients.hasLeft(new IOException(message))).isTrue();
  }

  @Test
  void anotherFailureStaysOne() {
    assertThat(DisconnectedClients.hasLeft(new IOException("Input/output error"))).isFalse();
    assertThat(DisconnectedClients.hasLeft(new IOException())).isFalse();
  }
}
