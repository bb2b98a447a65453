package io.artifactserver.storage.hawkbit;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.grant.Arrival;
import io.artifactserver.core.grant.GrantedArtifact;
import io.artifactserver.core.grant.GrantedFile;
import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** A file of which the first bytes are there. Its readers are thread-safe. */
final class ArrivingFile implements Arrival {
  private final PulledFolder folder;
  private final GrantedArtifact artifact;
  private final Path part;
  private final FileChannel channel;
  private final MessageDigest sha256 = DigestAlgorithm.SHA_256.newMessageDigest();
  private final GrantedFile file;
  private long position;

  /** Guarded by this object, with all below. Of the bytes that have come, all but the last one. */
  private long readable;

  /** By how many bytes have to be there, the fewest first. */
  private final PriorityQueue<Waiter> waiters =
      new PriorityQueue<>(Comparator.comparingLong(Waiter::until));

  private @Nullable Blob finished;
  private boolean isAbandoned;

  /** Takes over the part file and the channel that writes it. */
  ArrivingFile(
      PulledFolder folder,
      GrantedArtifact artifact,
      Path part,
      FileChannel channel,
      Instant storedAt) {
    this.folder = folder;
    this.artifact = artifact;
    this.part = part;
    this.channel = channel;
    this.file = new GrantedFile(new Bytes(), storedAt);
  }

  GrantedArtifact artifact() {
    return artifact;
  }

  @Override
  public GrantedFile file() {
    return file;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public void write(ByteBuffer bytes) throws StorageException {
    if (bytes.remaining() > artifact.length() - position) {
      throw HawkbitFolder.unavailable(
          artifact, "has more than %d bytes in hawkBit".formatted(artifact.length()), null);
    }
    sha256.update(bytes.duplicate());
    try {
      while (bytes.hasRemaining()) {
        position += channel.write(bytes);
      }
    } catch (IOException e) {
      throw HawkbitFolder.unavailable(
          artifact, "cannot be written to %s: %s".formatted(part, e), e);
    }
    release(Math.min(position, artifact.length() - 1));
  }

  @Override
  public void finish() throws StorageException {
    Digest found = Digest.of(DigestAlgorithm.SHA_256, sha256.digest());
    if (!found.equals(artifact.digests().sha256())) {
      throw HawkbitFolder.unavailable(
          artifact,
          "has %s in hawkBit, not %s".formatted(found, artifact.digests().sha256()),
          null);
    }
    try {
      Files.setLastModifiedTime(part, FileTime.from(file.storedAt()));
      channel.force(true);
      synchronized (this) {
        finished = folder.keep(this, part).blob();
      }
    } catch (IOException e) {
      throw HawkbitFolder.unavailable(artifact, "cannot be kept: " + e, e);
    }
    release(artifact.length());
  }

  @Override
  public void close() {
    List<Waiter> failed;
    synchronized (this) {
      if (isAbandoned) {
        return;
      }
      isAbandoned = finished == null;
      failed = List.copyOf(waiters);
      waiters.clear();
    }
    folder.ended(this, !isAbandoned);
    failed.forEach(waiter -> waiter.arrived().completeExceptionally(abandoned()));
    try {
      channel.close();
      Files.deleteIfExists(part);
    } catch (IOException _) {
      // The rest is deleted at the next start.
    }
  }

  private void release(long bytes) {
    List<Waiter> arrived = new ArrayList<>();
    synchronized (this) {
      readable = bytes;
      Waiter next;
      while ((next = waiters.peek()) != null && next.until() <= bytes) {
        arrived.add(waiters.remove());
      }
    }
    arrived.forEach(waiter -> waiter.arrived().complete(null));
  }

  private void await(long until) throws StorageException {
    Waiter waiter = new Waiter(until, new CompletableFuture<>());
    synchronized (this) {
      if (isAbandoned) {
        throw abandoned();
      }
      if (readable >= until) {
        return;
      }
      waiters.add(waiter);
    }
    try {
      waiter.arrived().get();
    } catch (ExecutionException e) {
      throw HawkbitFolder.unavailable(artifact, "did not arrive from hawkBit", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw HawkbitFolder.unavailable(artifact, "is no longer awaited: the server is stopping", e);
    }
  }

  private StorageException abandoned() {
    return HawkbitFolder.unavailable(
        artifact, "did not arrive from hawkBit; it will be fetched again", null);
  }

  /** The moved file, if all of it is there, or one that waits for its bytes. */
  private synchronized RangeReader open(ByteRange range) throws StorageException {
    if (isAbandoned) {
      throw abandoned();
    }
    if (finished != null) {
      return finished.open(range);
    }
    try {
      return new Reader(FileChannel.open(part, StandardOpenOption.READ), range);
    } catch (IOException e) {
      throw HawkbitFolder.unavailable(artifact, "cannot be opened at %s: %s".formatted(part, e), e);
    }
  }

  private synchronized Optional<Blob> finished() {
    return Optional.ofNullable(finished);
  }

  /**
   * @param until how many bytes have to be there
   */
  private record Waiter(long until, CompletableFuture<@Nullable Void> arrived) {}

  /** The part that is there, followed by the part that comes. */
  private final class Bytes implements Blob {
    private final BlobRef ref = HawkbitBlob.ref(artifact);

    @Override
    public BlobRef ref() {
      return ref;
    }

    @Override
    public Wait waitToOpen() {
      return finished().map(Blob::waitToOpen).orElse(Wait.REMOTE);
    }

    @Override
    public Optional<FileRegion> fileRegion(ByteRange range) throws StorageException {
      range.requireWithin(ref.length());
      Optional<Blob> whole = finished();
      return whole.isPresent() ? whole.get().fileRegion(range) : Optional.empty();
    }

    @Override
    public RangeReader open(ByteRange range) throws StorageException {
      return ArrivingFile.this.open(range.requireWithin(ref.length()));
    }
  }

  /** Reads from a channel of its own, which a move of the file leaves open. */
  private final class Reader implements RangeReader {
    private final FileChannel bytes;
    private final long end;
    private long next;

    private Reader(FileChannel bytes, ByteRange range) {
      this.bytes = bytes;
      this.next = range.position();
      this.end = range.end();
    }

    @Override
    public int read(ByteBuffer target) throws StorageException {
      if (!bytes.isOpen()) {
        throw new IllegalStateException("The reader is closed");
      }
      if (next == end) {
        return -1;
      }
      int length = (int) Math.min(target.remaining(), end - next);
      await(next + length);
      int limit = target.limit();
      target.limit(target.position() + length);
      try {
        int count = bytes.read(target, next);
        next += count;
        return count;
      } catch (IOException e) {
        throw HawkbitFolder.unavailable(artifact, "cannot be read: " + e, e);
      } finally {
        target.limit(limit);
      }
    }

    /** Received bytes are in memory still; the rest comes from another process. */
    @Override
    public Wait waitToRead(int length) {
      return Wait.REMOTE;
    }

    @Override
    public boolean isOpen() {
      return bytes.isOpen();
    }

    @Override
    public void close() {
      try {
        bytes.close();
      } catch (IOException _) {
        // Nothing was written.
      }
    }
  }
}
