package io.artifactserver.rest.command.client;

import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/** Writes the body of an answer to its place in a file. The body is an empty text then. */
final class RangeWriter implements BodySubscriber<String> {
  private final FileChannel file;
  private final ByteRange range;
  private final FetchedBytes fetched;
  private final CompletableFuture<String> end = new CompletableFuture<>();
  private long position;
  private @Nullable Subscription subscription;
  private volatile @Nullable IOException writeFailure;

  /**
   * @param range where the body belongs; no byte is written outside
   * @param fetched told of every byte that is written
   */
  RangeWriter(FileChannel file, ByteRange range, FetchedBytes fetched) {
    this.file = file;
    this.range = range;
    this.fetched = fetched;
    this.position = range.position();
  }

  /** The failure of the disk, not of the network, if there was one. */
  @Nullable IOException writeFailure() {
    return writeFailure;
  }

  /** Whether every byte is there; asked when the body is over. */
  boolean isComplete() {
    return position == range.end();
  }

  @Override
  public CompletionStage<String> getBody() {
    return end;
  }

  @Override
  public void onSubscribe(Subscription begun) {
    subscription = begun;
    begun.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    try {
      for (ByteBuffer buffer : buffers) {
        if (buffer.remaining() > range.end() - position) {
          fail(new IOException("the server sent more than was asked for"));
          return;
        }
        write(buffer);
      }
    } catch (IOException e) {
      writeFailure = e;
      fail(e);
    }
  }

  private void write(ByteBuffer buffer) throws IOException {
    long begin = position;
    while (buffer.hasRemaining()) {
      position += file.write(buffer, position);
    }
    fetched.add(new ByteRange(begin, position - begin));
  }

  private void fail(IOException failure) {
    if (subscription != null) {
      subscription.cancel();
    }
    end.completeExceptionally(failure);
  }

  @Override
  public void onError(Throwable failure) {
    end.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    if (position < range.end()) {
      end.completeExceptionally(new IOException("the server sent less than was asked for"));
    } else {
      end.complete("");
    }
  }
}
