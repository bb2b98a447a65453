package io.artifactserver.core.fetch;

import io.artifactserver.core.ingest.IngestRequest;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a file on another server, from its first to its last. Where a connection breaks off,
 * it asks for the rest. Used by one thread.
 */
final class RemoteStream extends InputStream {
  private final RemoteFiles files;
  private final Fetch fetch;
  private final AtomicReference<@Nullable RemoteFile> file = new AtomicReference<>();
  private final AtomicReference<String> validator = new AtomicReference<>("");
  private final AtomicLong length = new AtomicLong(IngestRequest.UNKNOWN_LENGTH);
  private final AtomicLong position = new AtomicLong();

  RemoteStream(RemoteFiles files, Fetch fetch) {
    this.files = files;
    this.fetch = fetch;
    fetch.beginsAgain();
  }

  /** Asks for the file, as often as it takes. */
  void begin() throws IOException {
    while (file.get() == null) {
      fetch.requireGoingOn(false);
      try {
        var _ = open();
      } catch (RemoteRefusedException | RemoteChangedException e) {
        throw e;
      } catch (IOException e) {
        fetch.pauseAfter(e);
      }
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int count) throws IOException {
    while (true) {
      fetch.requireGoingOn(false);
      try {
        @Nullable RemoteFile known = file.get();
        int read = (known == null ? open() : known).read(target, offset, count);
        if (read > 0) {
          fetch.received(position.addAndGet(read));
          return read;
        }
        if (length.get() == IngestRequest.UNKNOWN_LENGTH || position.get() == length.get()) {
          fetch.requireGoingOn(true);
          return -1;
        }
        throw new IOException(
            "the answer ended after %d of %d bytes".formatted(position.get(), length.get()));
      } catch (RemoteRefusedException | RemoteChangedException e) {
        throw e;
      } catch (IOException e) {
        close();
        fetch.pauseAfter(e);
      }
    }
  }

  /** Asks for the file, or for the rest of it. */
  private RemoteFile open() throws IOException {
    long from = position.get();
    if (from > 0 && validator.get().isEmpty()) {
      throw new RemoteChangedException("the other server sends no rest of a file");
    }
    RemoteFile opened =
        files.open(fetch.url(), from, from == 0 ? "" : validator.get(), fetch.patience());
    file.set(opened);
    fetch.opened(opened);
    long known = length.get();
    long told = opened.length();
    if (known != IngestRequest.UNKNOWN_LENGTH
        && told != IngestRequest.UNKNOWN_LENGTH
        && told != known) {
      throw new RemoteChangedException(
          "the file had %d bytes, and has %d now".formatted(known, told));
    }
    if (told != IngestRequest.UNKNOWN_LENGTH) {
      length.set(told);
    }
    if (from == 0) {
      validator.set(opened.validator());
      fetch.hasLength(length.get());
    }
    return opened;
  }

  @Override
  public void close() {
    @Nullable RemoteFile opened = file.getAndSet(null);
    if (opened != null) {
      opened.close();
    }
  }
}
