package io.artifactserver.storage.hawkbit;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.grant.GrantedArtifact;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.mapped.MappableFile;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Optional;

/** A file of hawkBit's; served from its mapping, as the file backend's are. Thread-safe. */
final class HawkbitBlob implements Blob, MappableFile {
  private static final int KEY_LENGTH = 32;

  private final GrantedArtifact artifact;
  private final BlobRef ref;
  private final HawkbitFolder folder;
  private final MappedFiles mappedFiles;

  private final String mappingKey;

  HawkbitBlob(GrantedArtifact artifact, HawkbitFolder folder, MappedFiles mappedFiles) {
    this.artifact = artifact;
    this.ref = ref(artifact);
    this.folder = folder;
    this.mappedFiles = mappedFiles;
    this.mappingKey = mappingKey(artifact);
  }

  /** Apart from the keys of blobs, which have no colon. */
  static String mappingKey(GrantedArtifact artifact) {
    return HawkbitFolder.NAME + ':' + artifact.tenant() + ':' + artifact.digests().sha256().hex();
  }

  /** For messages: no blob has this key. */
  static BlobRef ref(GrantedArtifact artifact) {
    return new BlobRef(
        artifact.digests().sha256().hex().substring(0, KEY_LENGTH), artifact.length());
  }

  @Override
  public BlobRef ref() {
    return ref;
  }

  @Override
  public Wait waitToOpen() {
    return mappedFiles.isMapped(mappingKey) ? Wait.NONE : Wait.DISK;
  }

  @Override
  public Optional<FileRegion> fileRegion(ByteRange range) throws StorageException {
    range.requireWithin(ref.length());
    return Optional.of(mappedFiles.region(mappingKey, range, this));
  }

  @Override
  public RangeReader open(ByteRange range) throws StorageException {
    FileRegion region = mappedFiles.region(mappingKey, range.requireWithin(ref.length()), this);
    return new RegionReader(region);
  }

  /** A file that vanished is looked for again with the next request: it is worth a retry. */
  @Override
  public FileChannel openForMapping() throws StorageException {
    try {
      return folder.open(artifact);
    } catch (StorageException.BlobNotFound e) {
      throw HawkbitFolder.unavailable(artifact, "has vanished", e);
    }
  }

  @Override
  public StorageException unavailable(IOException cause) {
    return HawkbitFolder.unavailable(artifact, "cannot be mapped: " + cause, cause);
  }

  /** Reads a region in order. */
  private static final class RegionReader implements RangeReader {
    private final FileRegion region;
    private long position;
    private boolean closed;

    private RegionReader(FileRegion region) {
      this.region = region;
    }

    @Override
    public int read(ByteBuffer target) {
      if (closed) {
        throw new IllegalStateException("The reader is closed");
      }
      if (position == region.length()) {
        return -1;
      }
      int length = (int) Math.min(target.remaining(), region.length() - position);
      target.put(region.slice(position, length));
      position += length;
      return length;
    }

    @Override
    public Wait waitToRead(int length) {
      return Wait.DISK;
    }

    @Override
    public boolean isOpen() {
      return !closed;
    }

    @Override
    public void close() {
      closed = true;
      region.close();
    }
  }
}
