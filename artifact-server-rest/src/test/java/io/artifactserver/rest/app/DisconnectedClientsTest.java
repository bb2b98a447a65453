package io.artifactserver.rest.app;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.channels.ClosedChannelException;
import org.eclipse.jetty.io.QuietException;
import org.junit.jupiter.api.Test;

class DisconnectedClientsTest {
  private final DisconnectedClients filter = new DisconnectedClients();

  @Test
  void clientsThatLeaveAreNothingToLog() {
    for (IOException left :
        new IOException[] {
          new EOFException("reset"), new ClosedChannelException(), new IOException("Broken pipe"),
        }) {
      assertThatThrownBy(() -> pass(left)).isInstanceOf(QuietException.class).hasCause(left);
    }
  }

  @Test
  void otherFailuresAre() {
    for (IOException failure :
        new IOException[] {new FileNotFoundException("page"), new IOException("disk")}) {
      assertThatThrownBy(() -> pass(failure)).isSameAs(failure);
    }
  }

  private void pass(IOException failure) throws ServletException, IOException {
    filter.doFilterInternal(
        unused(HttpServletRequest.class),
        unused(HttpServletResponse.class),
        (request, response) -> {
          throw failure;
        });
  }

  private static <T> T unused(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, _) -> {
              throw new AssertionError(method);
            }));
  }
}
