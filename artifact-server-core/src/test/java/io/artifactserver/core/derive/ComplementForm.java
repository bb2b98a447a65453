package io.artifactserver.core.derive;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import java.nio.ByteBuffer;

/** A form whose bytes are the blob's complement, byte by byte. */
public record ComplementForm(String name) implements DerivedForm.Headed {
  @Override
  public String suffix() {
    return "." + name;
  }

  @Override
  public String mediaType() {
    return "text/plain";
  }

  @Override
  public ByteBuffer head(Artifact artifact) {
    return ByteBuffer.allocate(0);
  }

  @Override
  public Derivation begin(long length, Derivation.Sink sink) {
    return new Derivation() {
      @Override
      public void update(ByteBuffer bytes) throws StorageException {
        sink.write(complement(bytes));
      }

      @Override
      public void finish() throws StorageException {
        sink.write(ByteBuffer.wrap(new byte[] {(byte) length}));
      }
    };
  }

  static ByteBuffer complement(ByteBuffer bytes) {
    ByteBuffer complement = ByteBuffer.allocate(bytes.remaining());
    while (bytes.hasRemaining()) {
      complement.put((byte) ~bytes.get());
    }
    return complement.flip();
  }
}
