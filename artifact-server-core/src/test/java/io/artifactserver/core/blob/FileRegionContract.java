package io.artifactserver.core.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.range.RangeCases;
import java.nio.ReadOnlyBufferException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The part of {@link BlobStoreContract} that is about regions of local files. */
abstract class FileRegionContract extends BlobReadingContract {
  @Test
  void aRegionHasTheBytesOfItsRange() throws StorageException {
    assumeTrue(supportsFileRegions(), "This store has no local files");
    for (long length : RangeCases.lengths(unit())) {
      byte[] content = content((int) length, 21);
      Blob blob = store().blob(store(content));
      for (ByteRange range : RangeCases.of(length, unit())) {
        try (FileRegion region = blob.fileRegion(range).orElseThrow()) {
          assertThat(region.length()).isEqualTo(range.length());
          region.load(0, (int) range.length());
          assertBytes(bytes(region.slice(0, (int) range.length())), content, range);
          long half = range.length() / 2;
          int rest = (int) (range.length() - half);
          assertBytes(
              bytes(region.slice(half, rest)),
              content,
              new ByteRange(range.position() + half, rest));
        }
      }
    }
  }

  @Test
  void aRegionKeepsToItsBounds() throws StorageException {
    assumeTrue(supportsFileRegions(), "This store has no local files");
    Blob blob = store().blob(store(content(1000, 22)));
    FileRegion region = blob.fileRegion(new ByteRange(100, 50)).orElseThrow();
    for (int[] slice : new int[][] {{-1, 1}, {0, 51}, {50, 1}, {51, 0}, {1, 50}, {0, -1}}) {
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> region.slice(slice[0], slice[1]));
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> region.isResident(slice[0], slice[1]));
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> region.load(slice[0], slice[1]));
    }
    assertThatCode(() -> region.isResident(0, 50)).doesNotThrowAnyException();
    assertThat(region.slice(50, 0).remaining()).isZero();
    assertThat(region.slice(0, 50).isReadOnly()).isTrue();
    assertThatExceptionOfType(ReadOnlyBufferException.class)
        .isThrownBy(() -> region.slice(0, 1).put((byte) 1));
    region.close();
    region.close();
    assertThatIllegalStateException().isThrownBy(() -> region.slice(0, 1));
    assertThatIllegalStateException().isThrownBy(() -> region.load(0, 1));
    assertThatIllegalStateException().isThrownBy(() -> region.isResident(0, 1));
  }

  @Test
  void aRegionOutlivesItsBlob() throws StorageException {
    assumeTrue(supportsFileRegions(), "This store has no local files");
    byte[] content = content(10_000, 23);
    BlobRef ref = store(content);
    ByteRange range = new ByteRange(1000, 5000);
    try (FileRegion region = store().blob(ref).fileRegion(range).orElseThrow()) {
      store().delete(ref);
      assertBytes(bytes(region.slice(0, 5000)), content, range);
      assertThatExceptionOfType(StorageException.BlobNotFound.class)
          .isThrownBy(() -> store().blob(ref).fileRegion(range).ifPresent(FileRegion::close));
    }
    assertThatExceptionOfType(StorageException.BlobNotFound.class)
        .isThrownBy(() -> store().blob(ref).fileRegion(range).ifPresent(FileRegion::close));
  }

  @Test
  void withoutRegionsTheAnswerIsEmpty() throws StorageException {
    assumeTrue(!supportsFileRegions(), "This store has local files");
    Optional<FileRegion> region =
        store().blob(store(content(10, 24))).fileRegion(ByteRange.whole(10));
    assertThat(region).isEmpty();
  }
}
