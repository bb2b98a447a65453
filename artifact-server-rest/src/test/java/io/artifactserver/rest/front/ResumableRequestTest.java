package io.artifactserver.rest.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.LocalConnector;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResumableRequestTest {
  private final Server server = new Server();
  private final LocalConnector connector = new LocalConnector(server);
  private final AtomicBoolean takesTurn = new AtomicBoolean();

  @BeforeEach
  void start() throws Exception {
    server.addConnector(connector);
    server.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            takesTurn.set(ResumableRequest.is(ResumableRequest.withMethod(request)));
            callback.succeeded();
            return true;
          }
        });
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
  }

  /**
   * All turns may be those of uploads to a bucket that hangs: one that only begins waits for none.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST  /api/v1/uploads    |                                     | '' | false",
        "POST  /api/v1/uploads    | Upload-Length: 9                    | '' | false",
        "POST  /api/v1/uploads    | Upload-Concat: partial              | '' | false",
        "POST  /api/v1/uploads    | Upload-Concat: final;/api/v1/uploads/a | '' | true",
        "POST  /api/v1/uploads    | Upload-Length: 9                    | x  | true",
        "PATCH /api/v1/uploads/a  | Upload-Offset: 0                    | x  | true",
        "POST  /api/v1/uploads/a  | X-HTTP-Method-Override: PATCH       | x  | true",
        "HEAD  /api/v1/uploads/a  | Tus-Resumable: 1.0.0                | '' | false",
        "DELETE /api/v1/uploads/a | Tus-Resumable: 1.0.0                | '' | false",
        "POST  /api/v1/uploads/a  | X-HTTP-Method-Override: DELETE      | '' | false",
      })
  void bytesTakeATurnAndABeginningDoesNot(
      String request, String field, String body, boolean isResumable) throws Exception {
    String answer =
        connector.getResponse(
            "%s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s"
                .formatted(
                    request.replaceAll(" +", " "),
                    field == null ? "" : field + "\r\n",
                    body.length(),
                    body));
    assertThat(answer).startsWith("HTTP/1.1 200");
    assertThat(takesTurn.get()).isEqualTo(isResumable);
  }
}
