package io.artifactserver.storage.local.file;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** Writes a part file; used by one thread. */
final class FileBlobUpload implements BlobUpload {
  private final FileBlobStore store;
  private final String key;
  private final Path part;
  private final FileChannel channel;
  private boolean usable = true;
  private boolean published;
  private long length;

  /** Takes over the part file and the channel that writes it. */
  FileBlobUpload(FileBlobStore store, String key, Path part, FileChannel channel) {
    this.store = store;
    this.key = key;
    this.part = part;
    this.channel = channel;
  }

  @Override
  public String key() {
    return key;
  }

  @Override
  public void write(ByteBuffer bytes) throws StorageException {
    requireUsable();
    try {
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
      // Before the force, so that the mode is as durable as the bytes.
      Files.setPosixFilePermissions(part, Set.of(PosixFilePermission.OWNER_READ));
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
  public void close() {
    usable = false;
    try {
      channel.close();
      if (!published) {
        Files.deleteIfExists(part);
      }
    } catch (IOException _) {
      // Of a part file that stays, removeAbandonedUploads() takes care.
    } finally {
      store.end(part);
    }
  }

  private void requireUsable() {
    if (!usable) {
      throw new IllegalStateException("The upload is committed, failed or closed");
    }
  }
}
