package io.artifactserver.storage.s3;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.http.Abortable;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * The answer to a GET, with its body still to be read. Used by one thread at a time. To be closed
 * when the body is read, so that the connection serves the next request, or else aborted.
 *
 * @param contentRange null if this is no partial answer
 * @param contentLength of the body in bytes, as the header has it; null if the server does not say
 * @param entityTag with its quotes; null if the server sends none
 */
record ObjectAnswer(
    InputStream body,
    Abortable connection,
    @Nullable String contentRange,
    @Nullable String contentLength,
    @Nullable String entityTag) {

  static ObjectAnswer of(ResponseInputStream<GetObjectResponse> body) {
    GetObjectResponse head = body.response();
    return new ObjectAnswer(
        body, body, head.contentRange(), Objects.toString(head.contentLength(), null), head.eTag());
  }

  static ObjectAnswer of(SdkHttpResponse head, AbortableInputStream body) {
    return new ObjectAnswer(
        body,
        body,
        head.firstMatchingHeader("Content-Range").orElse(null),
        head.firstMatchingHeader("Content-Length").orElse(null),
        head.firstMatchingHeader("ETag").orElse(null));
  }

  /** Gives the connection back; the body has been read to its end. */
  void close() throws IOException {
    body.close();
  }

  /** Gives up the rest of the body, and the connection with it. */
  void abort() {
    connection.abort();
  }
}
