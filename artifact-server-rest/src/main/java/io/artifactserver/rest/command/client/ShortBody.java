package io.artifactserver.rest.command.client;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * Reads the beginning of a body, and ends the connection when more comes: a problem and an index
 * are short, and nobody wants to receive a file in their place.
 */
final class ShortBody implements BodySubscriber<byte[]> {
  /** The most of a text that is read, in bytes. */
  static final int MAX_TEXT = 16 * 1024;

  private final int maxLength;
  private final CompletableFuture<byte[]> body = new CompletableFuture<>();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private @Nullable Subscription subscription;

  /**
   * @param maxLength of the bytes that are kept
   */
  ShortBody(int maxLength) {
    this.maxLength = maxLength;
  }

  /** For a text. */
  static BodySubscriber<String> text() {
    return BodySubscribers.mapping(
        new ShortBody(MAX_TEXT), body -> new String(body, StandardCharsets.UTF_8));
  }

  /** For a text. */
  static BodyHandler<String> handler() {
    return _ -> text();
  }

  /** How many bytes are there; other threads may ask. */
  int count() {
    return bytes.size();
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Subscription begun) {
    subscription = begun;
    begun.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      if (buffer.remaining() > maxLength - bytes.size()) {
        if (subscription != null) {
          subscription.cancel();
        }
        onComplete();
        return;
      }
      byte[] next = new byte[buffer.remaining()];
      buffer.get(next);
      bytes.writeBytes(next);
    }
  }

  @Override
  public void onError(Throwable failure) {
    body.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    body.complete(bytes.toByteArray());
  }
}
