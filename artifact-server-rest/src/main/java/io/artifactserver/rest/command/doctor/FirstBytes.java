package io.artifactserver.rest.command.doctor;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Takes the first bytes of a body, however long it is. For one body. */
final class FirstBytes implements BodySubscriber<byte[]> {
  private final int most;
  private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
  private final CompletableFuture<byte[]> body = new CompletableFuture<>();
  private volatile Flow.@Nullable Subscription subscription;

  FirstBytes(int most) {
    this.most = most;
  }

  /** Refuses the rest. Not before the answer is there: it would have failed, over HTTP/2. */
  void refuseRest() {
    Flow.Subscription granted = subscription;
    if (granted != null) {
      granted.cancel();
    }
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription granted) {
    subscription = granted;
    granted.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      byte[] bytes = new byte[Math.min(buffer.remaining(), most - taken.size())];
      buffer.get(bytes);
      taken.writeBytes(bytes);
    }
    if (taken.size() == most) {
      body.complete(taken.toByteArray());
    }
  }

  @Override
  public void onError(Throwable failure) {
    body.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    body.complete(taken.toByteArray());
  }
}
