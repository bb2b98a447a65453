package io.artifactserver.core.fetch;

import io.artifactserver.core.ingest.IngestRequest;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** One file, whose connections break as a test says. Thread-safe. */
final class FakeRemoteFiles implements RemoteFiles {
  /** Each opening, as {@code position validator}. */
  final List<String> openings = new CopyOnWriteArrayList<>();

  /** Bytes of each answer before its connection breaks; the next ones break nowhere. */
  final Queue<Integer> breaks = new ConcurrentLinkedQueue<>();

  /** Open answers. */
  final List<RemoteFile> open = new CopyOnWriteArrayList<>();

  volatile byte[] content;
  volatile String validator = "\"v1\"";
  volatile boolean tellsLength = true;
  volatile boolean isRefused;
  volatile boolean stalls;
  volatile Runnable onRead = () -> {};

  FakeRemoteFiles(byte[] content) {
    this.content = content;
  }

  @Override
  public RemoteFile open(URI url, long position, String known, Duration patience)
      throws IOException {
    openings.add("%d %s".formatted(position, known).strip());
    if (isRefused) {
      throw new RemoteRefusedException("mirror.example answered 404");
    }
    if (position > 0 && !known.equals(validator)) {
      throw new RemoteChangedException("the file on mirror.example is another one now");
    }
    Integer length = breaks.poll();
    if (length != null && length < 0) {
      throw new IOException("mirror.example cannot be reached");
    }
    Answer answer = new Answer((int) position, length == null ? Integer.MAX_VALUE : length);
    open.add(answer);
    return answer;
  }

  private final class Answer implements RemoteFile {
    private final byte[] bytes = content;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final int length;
    private int position;
    private int left;

    private Answer(int position, int left) {
      this.position = position;
      this.left = left;
      this.length = bytes.length;
    }

    @Override
    public long length() {
      return tellsLength ? length : IngestRequest.UNKNOWN_LENGTH;
    }

    @Override
    public String validator() {
      return validator;
    }

    @Override
    public int read(byte[] target, int offset, int count) throws IOException {
      onRead.run();
      if (stalls) {
        try {
          closed.await();
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
      }
      if (closed.getCount() == 0) {
        throw new IOException("closed");
      }
      if (position == length) {
        return -1;
      }
      if (left == 0) {
        throw new IOException("the connection broke");
      }
      int read = Math.min(Math.min(count, left), Math.min(1000, length - position));
      System.arraycopy(bytes, position, target, offset, read);
      position += read;
      left -= read;
      return read;
    }

    @Override
    public void close() {
      closed.countDown();
      open.remove(this);
    }
  }
}
