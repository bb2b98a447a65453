package io.artifactserver.rest.server.engine;

import java.nio.ByteBuffer;
import java.nio.channels.WritePendingException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Interim answers of HTTP/1.1 with fields. Jetty's generator sends the status line alone, unless it
 * is a 103 (12.1.12), so these are written beside it: before the answer, when nothing else is being
 * written.
 */
public final class InterimAnswers {
  private static final Logger LOG = LoggerFactory.getLogger(InterimAnswers.class);

  /** Some hundred bytes go into a socket's buffer at once, unless the client reads nothing. */
  private static final long PATIENCE_SECONDS = 10;

  private InterimAnswers() {}

  /**
   * Sends one and waits until it is written. On a connection that does not take it, nothing is
   * sent, or the connection ends.
   *
   * @param request of HTTP/1.1, whose answer has not begun; this is its thread
   * @param line status and reason
   */
  public static void send(Request request, String line, HttpFields fields) {
    StringBuilder head = new StringBuilder("HTTP/1.1 ").append(line).append("\r\n");
    for (HttpField field : fields) {
      head.append(field.getName()).append(": ").append(field.getValue()).append("\r\n");
    }
    ByteBuffer bytes =
        ByteBuffer.wrap(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
    EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
    Callback.Completable written = new Callback.Completable();
    try {
      endPoint.write(written, bytes);
      var _ = written.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (WritePendingException e) {
      LOG.debug("An interim answer is left out, as another one is being written", e);
    } catch (ExecutionException | TimeoutException e) {
      endPoint.close(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      endPoint.close(e);
    }
  }
}
