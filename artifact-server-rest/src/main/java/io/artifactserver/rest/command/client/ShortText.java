package io.artifactserver.rest.command.client;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * Reads the beginning of a body as text, and ends the connection when more comes: a problem is
 * short, and nobody wants to receive a file in its place.
 */
final class ShortText implements BodySubscriber<String> {
  private static final int MAX_LENGTH = 16 * 1024;

  private final CompletableFuture<String> text = new CompletableFuture<>();
  private final ByteBuffer bytes = ByteBuffer.allocate(MAX_LENGTH);
  private @Nullable Subscription subscription;

  static BodyHandler<String> handler() {
    return _ -> new ShortText();
  }

  @Override
  public CompletionStage<String> getBody() {
    return text;
  }

  @Override
  public void onSubscribe(Subscription begun) {
    subscription = begun;
    begun.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      if (buffer.remaining() > bytes.remaining()) {
        if (subscription != null) {
          subscription.cancel();
        }
        onComplete();
        return;
      }
      bytes.put(buffer);
    }
  }

  @Override
  public void onError(Throwable failure) {
    text.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    text.complete(new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8));
  }
}
