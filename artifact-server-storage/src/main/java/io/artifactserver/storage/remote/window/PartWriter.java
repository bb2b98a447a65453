package io.artifactserver.storage.remote.window;

import io.artifactserver.core.blob.StorageException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One upload in parts. Used by one thread at a time and closed by whoever opened it; each part is
 * sent by a virtual thread of its own.
 */
public final class PartWriter implements AutoCloseable {
  private final PartSink sink;
  private final PartWindow settings;
  private final TransferBudget.Share share;
  private final ReentrantLock lock = new ReentrantLock();

  /** A part was sent, the budget has room, or the upload failed. */
  private final Condition changed = lock.newCondition();

  private final Set<Thread> inFlight = new HashSet<>();

  /** The part that is being filled: the writing thread's alone. */
  private @Nullable ByteBuffer filling;

  /** The last part that was begun. */
  private int number;

  private volatile State state = new Open();

  PartWriter(PartSink sink, PartWindow settings, int sentParts) {
    this.number = sentParts;
    this.sink = sink;
    this.settings = settings;
    this.share = settings.budget().join(this::onRoom);
  }

  /**
   * Appends the remaining bytes of {@code bytes}, and begins to send each part that is full. Blocks
   * while the window is full.
   *
   * @throws StorageException if a part could not be sent; the rest is cancelled
   * @throws IllegalStateException if the writer is finished or closed
   */
  public void write(ByteBuffer bytes) throws StorageException {
    requireUsable();
    while (bytes.hasRemaining()) {
      ByteBuffer part = filling == null ? beginPart() : filling;
      int length = Math.min(bytes.remaining(), part.remaining());
      part.put(part.position(), bytes, bytes.position(), length);
      part.position(part.position() + length);
      bytes.position(bytes.position() + length);
      if (!part.hasRemaining()) {
        send(part);
      }
    }
  }

  /**
   * Sends what is left as the last part and waits until every part is sent. Of no bytes there is no
   * part.
   *
   * @return how many parts there are
   * @throws StorageException if a part could not be sent; the rest is cancelled
   * @throws IllegalStateException if the writer is finished or closed
   */
  public int finish() throws StorageException {
    requireUsable();
    if (filling != null) {
      send(filling);
    }
    lock.lock();
    try {
      await(inFlight::isEmpty);
      requireUsable();
      state = new Ended();
      share.close();
      return number;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until every full part is sent; the one that is being filled stays.
   *
   * @return how many parts are sent, with those of before
   * @throws StorageException if a part could not be sent; the rest is cancelled
   * @throws IllegalStateException if the writer is finished or closed
   */
  public int settle() throws StorageException {
    requireUsable();
    lock.lock();
    try {
      await(inFlight::isEmpty);
      requireUsable();
      return filling == null ? number : number - 1;
    } finally {
      lock.unlock();
    }
  }

  /** The bytes of the part that is being filled; good until the next write. */
  public ByteBuffer filling() {
    return filling == null ? ByteBuffer.allocate(0) : filling.duplicate().flip();
  }

  /**
   * Without a successful {@link #finish()}: cancels the parts under way and waits until the last of
   * them has given up, so that none is sent after the upload was aborted. May be repeated.
   */
  @Override
  public void close() {
    lock.lock();
    try {
      if (!(state instanceof Ended)) {
        state = new Ended();
        cancel();
        if (filling != null) {
          giveBack(filling);
          filling = null;
        }
        while (!inFlight.isEmpty()) {
          changed.awaitUninterruptibly();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private ByteBuffer beginPart() throws StorageException {
    int length = settings.partLength(number + 1);
    lock.lock();
    try {
      await(() -> inFlight.size() < settings.maxParts() && share.tryAcquire(footprint(length)));
      requireUsable();
    } finally {
      lock.unlock();
    }
    try {
      ByteBuffer part = settings.buffers().acquire(length);
      number++;
      filling = part;
      return part;
    } finally {
      if (filling == null) {
        share.release(footprint(length));
      }
    }
  }

  private void send(ByteBuffer part) throws StorageException {
    lock.lock();
    try {
      requireUsable();
      int partNumber = number;
      Thread sender = Thread.ofVirtual().name("part").unstarted(() -> send(partNumber, part));
      // Before anything changes: nothing has to be undone if there is no memory for a thread.
      sender.start();
      inFlight.add(sender);
      filling = null;
    } finally {
      lock.unlock();
    }
  }

  private void send(int partNumber, ByteBuffer part) {
    Throwable thrown = null;
    try {
      sink.send(partNumber, part.flip());
    } catch (Throwable e) {
      thrown = e;
    }
    lock.lock();
    try {
      inFlight.remove(Thread.currentThread());
      giveBack(part);
      if (thrown != null) {
        fail(thrown);
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until something is so, or the upload has failed. */
  private void await(BooleanSupplier isSo) {
    try {
      while (state instanceof Open && !isSo.getAsBoolean()) {
        changed.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      fail(
          Failures.unavailable(
              "the thread that wrote part %d was interrupted".formatted(number), e));
    }
  }

  private void onRoom() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void fail(Throwable cause) {
    if (state instanceof Open) {
      state = new Failed(cause);
      cancel();
    }
  }

  /** Interrupts what is in flight; it gives back what it has itself. */
  private void cancel() {
    inFlight.forEach(Thread::interrupt);
    share.close();
  }

  private void giveBack(ByteBuffer part) {
    int occupied = part.capacity();
    settings.buffers().release(part);
    share.release(occupied);
  }

  private int footprint(int length) {
    return settings.buffers().footprint(length);
  }

  private void requireUsable() throws StorageException {
    switch (state) {
      case Open() -> {}
      case Ended() -> throw new IllegalStateException("The upload is finished or closed");
      case Failed(Throwable cause) -> throw Failures.rethrow(cause);
    }
  }

  private sealed interface State {}

  private record Open() implements State {}

  private record Failed(Throwable cause) implements State {}

  private record Ended() implements State {}
}
