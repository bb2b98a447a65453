package io.artifactserver.storage.lint;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.derive.CompressedStream;
import io.artifactserver.core.lint.ArtifactLint;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows RAUC's bundles, SWUpdate's archives, and compressed streams by their bytes. Immutable,
 * thread-safe.
 */
public record FormatLint(BlobStores stores) implements ArtifactLint {
  static final String COMPRESSED =
      "The artifact is one compressed stream: devices fetch all of it for each change. Upload the image"
          + " uncompressed, or as a squashfs.";
  static final String PLAIN =
      "The artifact is a RAUC bundle of the format \"plain\": RAUC can neither stream it nor fetch only"
          + " what changed. Set format=verity in the manifest's [bundle].";
  static final String SWU =
      "In the .swu, \"%s\" is one compressed stream: no delta helps where it changes. Put it in"
          + " uncompressed, or as a squashfs.";

  private static final Logger LOG = LoggerFactory.getLogger(FormatLint.class);

  /** Enough for a file's head, and a member's head with its name and first bytes. */
  private static final int HEAD = 512;

  @Override
  public List<String> warnings(BlobRef ref) {
    try {
      Blob blob = stores.blob(ref);
      byte[] head = read(blob, 0, HEAD);
      if (CompressedStream.isOne(head, head.length)) {
        return List.of(COMPRESSED);
      }
      if (RaucBundle.mayBeOne(head)) {
        return RaucBundle.isPlain(blob) ? List.of(PLAIN) : List.of();
      }
      return CpioMember.first(head).isPresent() ? ofSwu(blob, head) : List.of();
    } catch (StorageException e) {
      LOG.debug("An artifact could not be looked at", e);
      return List.of();
    }
  }

  private static List<String> ofSwu(Blob blob, byte[] head) throws StorageException {
    Optional<CpioMember> member = CpioMember.first(head).filter(CpioMember::describesUpdate);
    long position = 0;
    for (int i = 0; i < CpioMember.MAX_MEMBERS && member.isPresent(); i++) {
      byte[] bytes = read(blob, position + member.get().dataOffset(), Long.BYTES);
      if (CompressedStream.isOne(bytes, (int) Math.min(bytes.length, member.get().length()))) {
        return List.of(SWU.formatted(member.get().name()));
      }
      position += member.get().end();
      member = CpioMember.first(read(blob, position, HEAD));
    }
    return List.of();
  }

  /** Reads up to so many bytes; fewer at the blob's end. */
  static byte[] read(Blob blob, long position, int length) throws StorageException {
    if (position < 0 || position >= blob.length()) {
      return new byte[0];
    }
    ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(length, blob.length() - position));
    try (RangeReader reader = blob.open(new ByteRange(position, buffer.capacity()))) {
      while (buffer.hasRemaining() && reader.read(buffer) >= 0) {
        // Until it is full.
      }
    }
    return Arrays.copyOf(buffer.array(), buffer.position());
  }
}
