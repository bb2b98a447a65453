package io.artifactserver.storage.remote.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A backend that answers when the test says so, and counts. Thread-safe. */
final class FakeRemote implements ChunkSource {
  private final Map<Long, CompletableFuture<Optional<Exception>>> answers =
      new ConcurrentHashMap<>();
  private final List<ByteRange> begun = Collections.synchronizedList(new ArrayList<>());
  private final Set<ByteBuffer> buffers =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger peak = new AtomicInteger();
  private final AtomicInteger filled = new AtomicInteger();
  private final AtomicInteger interrupted = new AtomicInteger();
  private volatile boolean answersAtOnce;

  static FakeRemote thatAnswersAtOnce() {
    FakeRemote remote = new FakeRemote();
    remote.answersAtOnce = true;
    return remote;
  }

  static StorageException broken(String detail) {
    return new StorageException.StorageUnavailable("fake", detail, null);
  }

  /** The byte of the blob at a position. */
  static byte at(long position) {
    return (byte) (position * 31 + (position >> 8) * 17);
  }

  static byte[] bytes(ByteRange range) {
    byte[] bytes = new byte[Math.toIntExact(range.length())];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = at(range.position() + i);
    }
    return bytes;
  }

  /** An answer of the right bytes, all at once. */
  static RangeReader answering(ByteRange range) {
    return new Answer(ByteBuffer.wrap(bytes(range)), _ -> {}, () -> {});
  }

  /** An answer that ends early. */
  static RangeReader answering(byte[] bytes) {
    return new Answer(ByteBuffer.wrap(bytes), _ -> {}, () -> {});
  }

  @Override
  public RangeReader open(ByteRange range) throws StorageException {
    peak.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
    begun.add(range);
    try {
      awaitAnswer(range.position());
    } catch (Throwable e) {
      inFlight.decrementAndGet();
      throw e;
    }
    return new Answer(
        ByteBuffer.wrap(bytes(range)),
        target -> {
          buffers.add(target);
          filled.incrementAndGet();
        },
        inFlight::decrementAndGet);
  }

  private void awaitAnswer(long position) throws StorageException {
    // Known before the look at the flag: answerAll sets that first, and then answers what is known.
    CompletableFuture<Optional<Exception>> answer = answer(position);
    if (answersAtOnce) {
      return;
    }
    try {
      switch (answer.get().orElse(null)) {
        case null -> {}
        case StorageException e -> throw e;
        case RuntimeException e -> throw e;
        case Exception e -> throw new IllegalArgumentException(e);
      }
    } catch (InterruptedException e) {
      interrupted.incrementAndGet();
      throw new StorageException.StorageUnavailable("fake", "cancelled", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private CompletableFuture<Optional<Exception>> answer(long position) {
    return answers.computeIfAbsent(position, _ -> new CompletableFuture<>());
  }

  /** Answers the fetch at a position, now or when it comes. */
  void answer(long... positions) {
    for (long position : positions) {
      answer(position).complete(Optional.empty());
    }
  }

  void answerAll() {
    answersAtOnce = true;
    answers.values().forEach(answer -> answer.complete(Optional.empty()));
  }

  void fail(long position, Exception failure) {
    answer(position).complete(Optional.of(failure));
  }

  /** Every range that was asked for, in the order of asking. */
  List<ByteRange> begun() {
    synchronized (begun) {
      return List.copyOf(begun);
    }
  }

  int inFlight() {
    return inFlight.get();
  }

  /** Most fetches at once. */
  int peak() {
    return peak.get();
  }

  int interrupted() {
    return interrupted.get();
  }

  /** How many fetches had memory and filled it. */
  int filled() {
    return filled.get();
  }

  /** How many different buffers were ever filled: never less than were in use at once. */
  int buffers() {
    return buffers.size();
  }

  /** Delivers bytes. */
  private static final class Answer implements RangeReader {
    private final ByteBuffer bytes;
    private final Consumer<ByteBuffer> onFilled;
    private final Runnable onClosed;
    private boolean isClosed;

    private Answer(ByteBuffer bytes, Consumer<ByteBuffer> onFilled, Runnable onClosed) {
      this.bytes = bytes;
      this.onFilled = onFilled;
      this.onClosed = onClosed;
    }

    @Override
    public int read(ByteBuffer target) {
      assertThat(isClosed).isFalse();
      if (!bytes.hasRemaining()) {
        return -1;
      }
      int length = Math.min(bytes.remaining(), target.remaining());
      target.put(target.position(), bytes, bytes.position(), length);
      target.position(target.position() + length);
      bytes.position(bytes.position() + length);
      if (!bytes.hasRemaining()) {
        onFilled.accept(target);
      }
      return length;
    }

    @Override
    public Wait waitToRead(int length) {
      return Wait.REMOTE;
    }

    @Override
    public boolean isOpen() {
      return !isClosed;
    }

    @Override
    public void close() {
      assertThat(isClosed).as("closed once").isFalse();
      isClosed = true;
      onClosed.run();
    }
  }
}
