package io.artifactserver.rest.download;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/**
 * Keeps what a servlet writes until the servlet has written all of it, and sends it then, so that
 * no thread waits for a client that does not read. A response that grows too long is sent as it is
 * written from there on, and so are server-sent events. Used by one thread at a time.
 */
final class GatheredResponse extends Response.Wrapper {
  private final int maxLength;
  private final ByteArrayOutputStream gathered = new ByteArrayOutputStream(0);
  private boolean isPassing;

  /**
   * @param maxLength kept at most, in bytes
   */
  GatheredResponse(Request request, Response response, int maxLength) {
    super(request, response);
    this.maxLength = maxLength;
  }

  @Override
  public void write(boolean last, ByteBuffer content, Callback callback) {
    if (isPassing || isEvents()) {
      super.write(last, content, callback);
    } else if (!last && gathered.size() + BufferUtil.length(content) <= maxLength) {
      gathered.writeBytes(BufferUtil.toArray(content));
      BufferUtil.clear(content);
      callback.succeeded();
    } else {
      isPassing = true;
      if (last) {
        UnwantedBody.leave(getRequest());
      }
      super.write(last, whole(content), callback);
    }
  }

  @Override
  public void reset() {
    gathered.reset();
    super.reset();
  }

  /** An event is for now. */
  private boolean isEvents() {
    String type = getHeaders().get(HttpHeader.CONTENT_TYPE);
    return type != null && type.startsWith("text/event-stream");
  }

  private ByteBuffer whole(ByteBuffer content) {
    if (gathered.size() == 0) {
      return content;
    }
    ByteBuffer whole = ByteBuffer.allocate(gathered.size() + BufferUtil.length(content));
    whole.put(gathered.toByteArray());
    if (content != null) {
      whole.put(content);
    }
    gathered.reset();
    return whole.flip();
  }
}
