package io.artifactserver.storage.remote.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheFileTest {
  private static final String KEY = "0123456789abcdef".repeat(2);

  @TempDir private Path folder;

  @Test
  void theFileTellsTheBlobsLength() {
    for (int pieceLength : new int[] {64 * 1024, 100_003, 1 << 20}) {
      for (long pieces : new long[] {1, 2, 7, 1000, 100_000}) {
        for (long delta : new long[] {-pieceLength + 1, -33, -1, 0}) {
          long length = pieces * pieceLength + delta;
          CacheFile file = new CacheFile(folder, new BlobRef(KEY, length), pieceLength);
          assertThat(file.pieces()).isEqualTo(pieces);
          assertThat(CacheFile.blobLength(file.length(), pieceLength)).hasValue(length);
        }
      }
    }
    for (long length : new long[] {0, 4, 12, 44}) {
      assertThat(CacheFile.blobLength(length, 1 << 20)).isEmpty();
    }
  }

  @Test
  void piecesCoverTheBlob() {
    CacheFile file = new CacheFile(folder, new BlobRef(KEY, 250), 100);
    assertThat(file.pieces()).isEqualTo(3);
    assertThat(file.range(2).position()).isEqualTo(200);
    assertThat(file.range(2).length()).isEqualTo(50);
    assertThat(file.end(1)).isEqualTo(200);
    assertThat(file.pieceOf(199)).isEqualTo(1);
    assertThat(file.pieceOf(200)).isEqualTo(2);
  }

  @Test
  void aNewFileIsEmptySparseAndTheOwnersAlone() throws IOException {
    Path path = folder.resolve("ab").resolve(KEY);
    CacheFile file = new CacheFile(path, new BlobRef(KEY, 1L << 40), 1 << 20);
    assertThat(file.stored()).isEmpty();
    file.create();
    assertThat(Files.size(path)).isEqualTo(file.length());
    assertThat(file.stored()).hasValueSatisfying(stored -> assertThat(stored.isEmpty()).isTrue());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("ab"))))
        .isEqualTo("rwx------");
    assertThat(new CacheFile(path, new BlobRef(KEY, 1L << 40), 1 << 21).stored()).isEmpty();
    assertThat(new CacheFile(path, new BlobRef(KEY, 1L << 39), 1 << 20).stored()).isEmpty();
  }
}
