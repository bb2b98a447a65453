package io.artifactserver.core.blob;

import io.artifactserver.core.range.ByteRange;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * A remote store, for tests: it counts what is asked of it, can be slow, stuck or down, and answers
 * when the test says so. Thread-safe.
 *
 * <p>Beside the blobs that it is given, it has one without an end, whose bytes follow from their
 * positions: {@link #open} reads it.
 */
public final class FakeRemoteStore extends ForwardingBlobStore {
  private final InMemoryBlobStore memory;
  private final List<ByteRange> opened = new CopyOnWriteArrayList<>();
  private final LongAdder delivered = new LongAdder();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger peak = new AtomicInteger();

  /** Answers by position: empty for bytes, else the failure of the fetch. */
  private final Map<Long, CompletableFuture<Optional<Exception>>> answers =
      new ConcurrentHashMap<>();

  private final Set<ByteBuffer> buffers =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
  private final AtomicInteger filled = new AtomicInteger();
  private final AtomicInteger interrupted = new AtomicInteger();

  private volatile boolean answersAtOnce = true;
  private volatile boolean isDown;
  private volatile Fault fault = _ -> {};

  /** A store that answers at once. */
  public FakeRemoteStore() {
    this(new InMemoryBlobStore());
  }

  private FakeRemoteStore(InMemoryBlobStore memory) {
    super(memory);
    this.memory = memory;
  }

  /** A store that begins to answer each fetch when the test says so. */
  public static FakeRemoteStore thatAnswersWhenTold() {
    FakeRemoteStore store = new FakeRemoteStore();
    store.answersAtOnce = false;
    return store;
  }

  /** Blocks or fails a read. */
  public interface Fault {
    /** Called before each read of the range; may block or throw. */
    void before(ByteRange range) throws StorageException;
  }

  /** A failure to throw. */
  public static StorageException broken(String detail) {
    return new StorageException.StorageUnavailable("remote", detail, null);
  }

  /** The bytes of the blob without an end. */
  public static byte[] bytes(ByteRange range) {
    byte[] bytes = new byte[Math.toIntExact(range.length())];
    for (int i = 0; i < bytes.length; i++) {
      long position = range.position() + i;
      bytes[i] = (byte) (position * 31 + (position >> 8) * 17);
    }
    return bytes;
  }

  /** Stores a blob; nothing is counted, and nothing fails. */
  public BlobRef store(byte[] content) {
    try (BlobUpload upload = memory.begin()) {
      upload.write(ByteBuffer.wrap(content));
      return upload.commit();
    } catch (StorageException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String name() {
    return "remote";
  }

  @Override
  public Blob blob(BlobRef ref) {
    return new RemoteBlob(super.blob(ref));
  }

  /** Opens a range of the blob without an end. */
  public RangeReader open(ByteRange range) throws StorageException {
    return fetch(range, () -> new BytesReader(ByteBuffer.wrap(bytes(range))));
  }

  /** Every range that was opened, in order. */
  public List<ByteRange> opened() {
    return opened;
  }

  /** How many bytes were read. */
  public long delivered() {
    return delivered.sum();
  }

  /** How many fetches there are: asked for, and not closed. */
  public int inFlight() {
    return inFlight.get();
  }

  /** Most fetches at once. */
  public int peak() {
    return peak.get();
  }

  /** How many fetches were interrupted while they waited for an answer. */
  public int interrupted() {
    return interrupted.get();
  }

  /** How many fetches of the blob without an end had memory and filled it. */
  public int filled() {
    return filled.get();
  }

  /** How many different buffers those filled: never less than were in use at once. */
  public int buffers() {
    return buffers.size();
  }

  /** Forgets what was opened and read. */
  public void forget() {
    opened.clear();
    delivered.reset();
  }

  /** Nothing can be opened or read while it is down. */
  public void down(boolean down) {
    isDown = down;
  }

  /** Is asked before every read from now on. */
  public void fault(Fault newFault) {
    fault = newFault;
  }

  /** Answers the fetch at a position, now or when it comes. */
  public void answer(long... positions) {
    for (long position : positions) {
      answerTo(position).complete(Optional.empty());
    }
  }

  /** Answers every fetch from now on. */
  public void answerAll() {
    answersAtOnce = true;
    answers.values().forEach(answer -> answer.complete(Optional.empty()));
  }

  /** The fetch at a position fails, now or when it comes. */
  public void fail(long position, Exception failure) {
    answerTo(position).complete(Optional.of(failure));
  }

  private interface Opening {
    RangeReader open() throws StorageException;
  }

  private RangeReader fetch(ByteRange range, Opening opening) throws StorageException {
    requireUp();
    peak.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
    opened.add(range);
    try {
      awaitAnswer(range.position());
      return new RemoteReader(opening.open(), range);
    } catch (Throwable e) {
      inFlight.decrementAndGet();
      throw e;
    }
  }

  private void requireUp() throws StorageException {
    if (isDown) {
      throw broken("it is down");
    }
  }

  private void awaitAnswer(long position) throws StorageException {
    // Known before the look at the flag: answerAll sets that first, and then answers what is known.
    CompletableFuture<Optional<Exception>> answer = answerTo(position);
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
      throw new StorageException.StorageUnavailable(name(), "cancelled", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private CompletableFuture<Optional<Exception>> answerTo(long position) {
    return answers.computeIfAbsent(position, _ -> new CompletableFuture<>());
  }

  private final class RemoteBlob implements Blob {
    private final Blob inner;

    RemoteBlob(Blob inner) {
      this.inner = inner;
    }

    @Override
    public BlobRef ref() {
      return inner.ref();
    }

    @Override
    public RangeReader open(ByteRange range) throws StorageException {
      return fetch(range, () -> inner.open(range));
    }

    @Override
    public Optional<URI> temporaryAddress(String mediaType, String contentDisposition) {
      return Optional.of(URI.create("https://remote.example/" + ref().key()));
    }

    @Override
    public Wait waitToOpen() {
      return Wait.REMOTE;
    }

    @Override
    public Optional<FileRegion> fileRegion(ByteRange range) {
      range.requireWithin(inner.length());
      return Optional.empty();
    }
  }

  private final class RemoteReader implements RangeReader {
    private final RangeReader inner;
    private final ByteRange range;

    RemoteReader(RangeReader inner, ByteRange range) {
      this.inner = inner;
      this.range = range;
    }

    @Override
    public int read(ByteBuffer target) throws StorageException {
      fault.before(range);
      requireUp();
      int length = inner.read(target);
      delivered.add(Math.max(0, length));
      if (inner instanceof BytesReader bytes && length > 0 && bytes.isRead()) {
        buffers.add(target);
        filled.incrementAndGet();
      }
      return length;
    }

    @Override
    public Wait waitToRead(int length) {
      return Wait.REMOTE;
    }

    @Override
    public boolean isOpen() {
      return inner.isOpen();
    }

    @Override
    public void close() {
      if (!inner.isOpen()) {
        throw new AssertionError("Closed twice");
      }
      inner.close();
      inFlight.decrementAndGet();
    }
  }
}
