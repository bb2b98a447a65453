package io.artifactserver.benchmarks.load;

import io.artifactserver.core.derive.ChunkIndex;
import io.artifactserver.core.derive.Derivation;
import io.artifactserver.core.derive.DerivedForm;
import io.artifactserver.core.derive.FramedChunk;
import io.artifactserver.storage.delta.CasyncIndexForm;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;

/**
 * An image and its casync store, beside the file: peers serve the store's files, artifact-server is
 * given the image alone. Immutable, thread-safe.
 *
 * @param image whose chunks they are
 * @param content all chunks as they are sent, one after the other
 */
record ChunkStore(Path image, Content content, List<Chunk> chunks) {
  /** Where it is, relative to the file. */
  static final String FOLDER = "chunks";

  private static final String IMAGE = "image";

  ChunkStore {
    chunks = List.copyOf(chunks);
  }

  /**
   * One file of the store.
   *
   * @param path relative to the file that is served
   * @param span of the content
   */
  record Chunk(String path, ByteSpan span) {}

  /**
   * Makes one of random bytes.
   *
   * @param length of the image, in bytes
   */
  static ChunkStore make(Path www, long seed, int length) {
    Path folder = www.resolve(FOLDER);
    try {
      Site.delete(folder);
      Files.createDirectories(folder);
      byte[] bytes = new byte[length];
      new SplittableRandom(seed).nextBytes(bytes);
      Path image = Files.write(folder.resolve(IMAGE), bytes);
      DerivedForm.Chunked form = new CasyncIndexForm();
      ChunkIndex index = index(form, bytes);
      Path all = www.resolveSibling("all-chunks");
      List<Chunk> chunks = new ArrayList<>();
      try (OutputStream out = Files.newOutputStream(all)) {
        long position = 0;
        for (int i = 0; i < index.count(); i++) {
          ChunkIndex.Chunk chunk = index.chunk(i);
          byte[] framed = bytes(form.frame(chunk), bytes);
          String path = path(chunk);
          Files.createDirectories(folder.resolve(path).getParent());
          Files.write(folder.resolve(path), framed);
          out.write(framed);
          chunks.add(new Chunk(FOLDER + "/" + path, new ByteSpan(position, framed.length)));
          position += framed.length;
        }
      }
      return new ChunkStore(image, Content.Mapped.of(all), chunks);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot make a chunk store in " + folder, e);
    }
  }

  private static ChunkIndex index(DerivedForm.Chunked form, byte[] bytes) throws IOException {
    ByteArrayOutputStream index = new ByteArrayOutputStream();
    Derivation derivation =
        form.begin(
            bytes.length,
            piece -> {
              byte[] copy = new byte[piece.remaining()];
              piece.get(copy);
              index.writeBytes(copy);
            });
    derivation.update(ByteBuffer.wrap(bytes));
    derivation.finish();
    return form.index(ByteBuffer.wrap(index.toByteArray()));
  }

  private static byte[] bytes(FramedChunk framed, byte[] image) {
    ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(framed.length()));
    for (FramedChunk.Piece piece : framed.pieces()) {
      all.put(piece.framing().duplicate());
      all.put(image, (int) piece.range().position(), (int) piece.range().length());
    }
    return all.array();
  }

  private static String path(ChunkIndex.Chunk chunk) {
    byte[] id = new byte[ChunkIndex.ID_LENGTH];
    chunk.id().get(0, id);
    String hex = HexFormat.of().formatHex(id);
    return "default.castr/" + hex.substring(0, 4) + "/" + hex + ".cacnk";
  }
}
