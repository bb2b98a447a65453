package io.artifactserver.storage.local.file;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import io.artifactserver.core.file.Boot;
import io.artifactserver.core.file.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Objects;
import java.util.Set;

/** Writes a part file; used by one thread. */
final class FileBlobUpload implements BlobUpload {
  /** Bytes that are recovered at a time. */
  private static final int PIECE_LENGTH = 1 << 20;

  private final FileBlobStore store;
  private final String key;
  private final Path part;
  private final FileChannel channel;
  private boolean usable = true;
  private boolean published;
  private boolean isKept;

  /** Whether the name of the part file is durable. */
  private boolean isNamed;

  private boolean isLeft;
  private long length;

  /** Whether what is found behind the checkpoint goes before anything is written. */
  private boolean isTruncated;

  /** Behind it nothing is written yet: what comes before it must come again as it is. */
  private long repeatedUntil;

  /** End of what can be recovered. */
  private long recoverableUntil;

  /** Takes over the part file and the channel that writes it. */
  FileBlobUpload(FileBlobStore store, String key, Path part, FileChannel channel) {
    this.store = store;
    this.key = key;
    this.part = part;
    this.channel = channel;
  }

  /**
   * Goes on with a part file. I/O.
   *
   * @throws StorageException.BlobCorrupt if the file is shorter than the checkpoint
   */
  static FileBlobUpload resumed(FileBlobStore store, Path part, UploadCheckpoint checkpoint)
      throws IOException {
    // A process that died in a commit may have left it read-only.
    Files.setPosixFilePermissions(
        part, Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));
    FileChannel channel =
        FileChannel.open(
            part,
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
    FileBlobUpload upload = new FileBlobUpload(store, checkpoint.key(), part, channel);
    boolean isOpen = false;
    try {
      upload.length = checkpoint.length();
      if (channel.size() < upload.length) {
        throw new StorageException.BlobCorrupt(
            FileBlobStore.NAME,
            checkpoint.ref(),
            "its part file has %d bytes".formatted(channel.size()),
            null);
      }
      boolean isRecoverable = Boot.isOf(checkpoint.state());
      if (!checkpoint.mustRepeat() && !isRecoverable) {
        channel.truncate(upload.length);
      }
      upload.recoverableUntil = isRecoverable ? channel.size() : 0;
      upload.isTruncated = !checkpoint.mustRepeat();
      upload.repeatedUntil = channel.size();
      upload.isKept = true;
      upload.isNamed = true;
      channel.position(upload.length);
      isOpen = true;
      return upload;
    } finally {
      if (!isOpen) {
        channel.close();
      }
    }
  }

  @Override
  public String key() {
    return key;
  }

  @Override
  public void write(ByteBuffer bytes) throws StorageException {
    requireUsable();
    try {
      endRecovery();
      if (length < repeatedUntil) {
        repeat(bytes);
      }
      store.requireRoom(key, bytes.remaining());
      while (bytes.hasRemaining()) {
        length += channel.write(bytes);
      }
    } catch (StorageException e) {
      usable = false;
      throw e;
    } catch (IOException e) {
      usable = false;
      throw store.errors().ofUpload(key, length, e);
    }
  }

  @Override
  public BlobRef commit() throws StorageException {
    requireUsable();
    usable = false;
    try {
      endRecovery();
      // Before the force, so that the mode is as durable as the bytes.
      Files.setPosixFilePermissions(part, Set.of(PosixFilePermission.OWNER_READ));
      if (length < repeatedUntil) {
        channel.truncate(length);
      }
      channel.force(true);
      channel.close();
      store.publish(key, part);
      published = true;
      return new BlobRef(key, length);
    } catch (IOException e) {
      throw store.errors().ofUpload(key, length, e);
    }
  }

  @Override
  public byte[] checkpoint() throws StorageException {
    requireUsable();
    try {
      endRecovery();
    } catch (IOException e) {
      throw store.errors().ofUpload(key, length, e);
    }
    isKept = true;
    return new byte[0];
  }

  @Override
  public void force() throws StorageException {
    try {
      channel.force(false);
      if (!isNamed) {
        DurableFiles.sync(Objects.requireNonNull(part.getParent()));
        isNamed = true;
      }
    } catch (IOException e) {
      throw store.errors().ofUpload(key, length, e);
    }
  }

  @Override
  public byte[] checkpointAndGoOn() throws StorageException {
    byte[] _ = checkpoint();
    return Boot.state();
  }

  /** Writes the bytes again: after a failed write-back their pages pass as written. */
  @Override
  public void recover(int unit, Recovered recovered) throws StorageException {
    requireUsable();
    try {
      int taken = 1;
      while (taken > 0 && length < recoverableUntil) {
        ByteBuffer piece =
            ByteBuffer.allocate(
                (int) Math.min(Math.max(unit, PIECE_LENGTH), recoverableUntil - length));
        while (piece.hasRemaining() && channel.read(piece, length + piece.position()) >= 0) {}
        taken = recovered.take(piece.flip());
        piece.limit(taken);
        while (piece.hasRemaining()) {
          length += channel.write(piece, length);
        }
      }
      channel.position(length);
      endRecovery();
    } catch (StorageException e) {
      usable = false;
      throw e;
    } catch (IOException e) {
      usable = false;
      throw store.errors().ofUpload(key, length, e);
    }
  }

  @Override
  public void leave() {
    isLeft = isKept;
    close();
  }

  @Override
  public void close() {
    usable = false;
    if (!channel.isOpen() && isLeft) {
      return;
    }
    try {
      channel.close();
      if (!published && !isLeft) {
        Files.deleteIfExists(part);
      }
    } catch (IOException _) {
      // Of a part file that stays, removeAbandonedUploads() takes care.
    } finally {
      store.end(part);
    }
  }

  /** Bytes that were not recovered are not there, unless they must come again. */
  private void endRecovery() throws IOException {
    if (recoverableUntil > 0) {
      recoverableUntil = 0;
      if (isTruncated) {
        channel.truncate(length);
        repeatedUntil = length;
      }
    }
  }

  /** Compares with the bytes that are there, as far as they go. */
  private void repeat(ByteBuffer bytes) throws IOException {
    int count = (int) Math.min(bytes.remaining(), repeatedUntil - length);
    ByteBuffer there = ByteBuffer.allocate(count);
    while (there.hasRemaining() && channel.read(there) >= 0) {}
    if (!there.flip().equals(bytes.slice(bytes.position(), count))) {
      throw new StorageException.BlobCorrupt(
          FileBlobStore.NAME,
          new BlobRef(key, length),
          "its upload goes on with other bytes than before",
          null);
    }
    bytes.position(bytes.position() + count);
    length += count;
  }

  private void requireUsable() {
    if (!usable) {
      throw new IllegalStateException("The upload is committed, failed or closed");
    }
  }
}
