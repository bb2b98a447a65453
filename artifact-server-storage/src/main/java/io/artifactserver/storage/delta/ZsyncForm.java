package io.artifactserver.storage.delta;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.derive.Derivation;
import io.artifactserver.core.derive.DerivedForm;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;

/**
 * A control file as zsyncmake 0.6.2 writes it. The checksums of the blocks are kept; the lines
 * before them name the artifact and are made when it is asked for. Immutable, thread-safe.
 */
public final class ZsyncForm implements DerivedForm.Headed {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss +0000", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final int BUFFER_LENGTH = 64 * 1024;

  @Override
  public String name() {
    return "zsync";
  }

  @Override
  public String suffix() {
    return ".zsync";
  }

  @Override
  public String mediaType() {
    return "application/x-zsync";
  }

  @Override
  public Derivation begin(long length, Derivation.Sink sink) {
    return new Summing(ZsyncLengths.of(length), sink);
  }

  /**
   * {@inheritDoc}
   *
   * <p>Without a SHA-1, which every upload gets, clients do not verify what they put together.
   */
  @Override
  public ByteBuffer head(Artifact artifact) {
    ZsyncLengths lengths = ZsyncLengths.of(artifact.length());
    String name = artifact.id().fileName();
    StringBuilder head = new StringBuilder();
    line(head, "zsync", "0.6.2");
    line(head, "Filename", name);
    line(head, "MTime", TIME.format(artifact.createdAt()));
    line(head, "Blocksize", String.valueOf(lengths.block()));
    line(head, "Length", String.valueOf(artifact.length()));
    line(
        head,
        "Hash-Lengths",
        "%d,%d,%d".formatted(lengths.sequence(), lengths.rolling(), lengths.strong()));
    line(head, "URL", reference(name));
    artifact
        .digests()
        .get(DigestAlgorithm.SHA_1)
        .ifPresent(sha1 -> line(head, "SHA-1", sha1.hex()));
    return ByteBuffer.wrap(head.append('\n').toString().getBytes(StandardCharsets.UTF_8))
        .asReadOnlyBuffer();
  }

  private static void line(StringBuilder head, String name, String value) {
    head.append(name).append(": ").append(value).append('\n');
  }

  /** Relative to the control file. A colon in its first segment would begin a scheme. */
  private static String reference(String fileName) {
    try {
      String path = new URI(null, null, '/' + fileName, null).toASCIIString();
      return path.substring(1).replace(":", "%3A");
    } catch (URISyntaxException e) {
      throw new IllegalStateException("A path is always well-formed", e);
    }
  }

  private static final class Summing implements Derivation {
    private final ZsyncLengths lengths;
    private final Sink sink;
    private final Md4 md4 = new Md4();
    private final byte[] block;
    private final ByteBuffer out = ByteBuffer.allocate(BUFFER_LENGTH);
    private int filled;

    Summing(ZsyncLengths lengths, Sink sink) {
      this.lengths = lengths;
      this.sink = sink;
      this.block = new byte[lengths.block()];
    }

    @Override
    public void update(ByteBuffer bytes) throws StorageException {
      while (bytes.hasRemaining()) {
        int length = Math.min(block.length - filled, bytes.remaining());
        bytes.get(block, filled, length);
        filled += length;
        if (filled == block.length) {
          endBlock();
        }
      }
    }

    /** The last block ends in zeros. */
    @Override
    public void finish() throws StorageException {
      if (filled > 0) {
        Arrays.fill(block, filled, block.length, (byte) 0);
        endBlock();
      }
      flush();
    }

    private void endBlock() throws StorageException {
      filled = 0;
      int sum = 0;
      int sumOfSums = 0;
      for (byte each : block) {
        sum += each & 0xff;
        sumOfSums += sum;
      }
      if (out.remaining() < lengths.rolling() + lengths.strong()) {
        flush();
      }
      int sums = (sum << 16) | (sumOfSums & 0xffff);
      for (int shift = 8 * (lengths.rolling() - 1); shift >= 0; shift -= 8) {
        out.put((byte) (sums >> shift));
      }
      out.put(md4.digest(block, 0, block.length), 0, lengths.strong());
    }

    private void flush() throws StorageException {
      sink.write(out.flip());
      out.clear();
    }
  }
}
