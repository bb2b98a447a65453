package io.artifactserver.storage.s3;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * The answer to a GET, with its body still to be read. Used by one thread at a time.
 *
 * @param contentRange null if this is no partial answer
 * @param contentLength of the body in bytes, as the header has it; null if the server does not say
 * @param entityTag with its quotes; null if the server sends none
 */
record ObjectAnswer(
    AnswerBody body,
    @Nullable String contentRange,
    @Nullable String contentLength,
    @Nullable String entityTag) {

  static ObjectAnswer of(ResponseInputStream<GetObjectResponse> body) {
    GetObjectResponse head = body.response();
    return new ObjectAnswer(
        new StreamBody(body, body),
        head.contentRange(),
        Objects.toString(head.contentLength(), null),
        head.eTag());
  }

  static ObjectAnswer of(SdkHttpResponse head, AbortableInputStream body) {
    return new ObjectAnswer(
        new StreamBody(body, body),
        head.firstMatchingHeader("Content-Range").orElse(null),
        head.firstMatchingHeader("Content-Length").orElse(null),
        head.firstMatchingHeader("ETag").orElse(null));
  }

  static ObjectAnswer of(PlainHead head, AnswerBody body) {
    return new ObjectAnswer(
        body, head.contentRange(), Long.toString(head.bodyLength()), head.entityTag());
  }
}
