package io.artifactserver.rest.api.fetch;

import io.artifactserver.core.fetch.RemoteFile;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.rest.api.outbound.Failures;
import java.io.IOException;
import java.io.InputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/** The answer of an HTTPS server, whose head has come. As {@link RemoteFile} says. */
final class Body implements RemoteFile {
  private static final Pattern CONTENT_RANGE =
      Pattern.compile("bytes (\\d{1,18})-\\d{1,18}/(\\d{1,18}|\\*)");
  private static final int PARTIAL = 206;

  private final Response response;
  private final InputStream bytes;

  Body(Response response, InputStreamResponseListener listener) {
    this.response = response;
    this.bytes = listener.getInputStream();
  }

  int status() {
    return response.getStatus();
  }

  String host() {
    return response.getRequest().getHost();
  }

  /** The value of a field; empty if there is none. */
  String field(HttpHeader name) {
    @Nullable String value = response.getHeaders().get(name);
    return value == null ? "" : value;
  }

  /** Whether it has the bytes from a position on. */
  boolean beginsAt(long position) {
    Matcher range = CONTENT_RANGE.matcher(field(HttpHeader.CONTENT_RANGE));
    return range.matches() && Long.parseLong(range.group(1)) == position;
  }

  @Override
  public long length() {
    Matcher range = CONTENT_RANGE.matcher(field(HttpHeader.CONTENT_RANGE));
    if (status() == PARTIAL && range.matches()) {
      return range.group(2).equals("*")
          ? IngestRequest.UNKNOWN_LENGTH
          : Long.parseLong(range.group(2));
    }
    return response.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH);
  }

  /** RFC 9110, section 13.1.5: If-Range takes no weak entity tag. */
  @Override
  public String validator() {
    String tag = field(HttpHeader.ETAG);
    return tag.startsWith("\"") ? tag : field(HttpHeader.LAST_MODIFIED);
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    try {
      int read = 0;
      while (read == 0) {
        read = bytes.read(target, offset, length);
      }
      return read;
    } catch (IOException | RuntimeException e) {
      // A RuntimeException is Jetty's of an answer that is malformed.
      throw new IOException("%s: %s".formatted(host(), Failures.reason(e)), e);
    }
  }

  /** Ends the exchange if it is not over: what is left of the body is not waited for. */
  @Override
  public void close() {
    var _ = response.abort(new IOException("the rest is not wanted"));
  }
}
