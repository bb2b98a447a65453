package io.artifactserver.storage.delta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import io.artifactserver.core.derive.ChunkIndex;
import io.artifactserver.core.derive.ChunkPack;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The pack has the chunks of the index, in its order. */
class CasyncPackFormTest {
  private final CasyncIndexForm indexForm = new CasyncIndexForm();
  private final CasyncPackForm form = new CasyncPackForm();

  @TempDir private Path folder;

  /** Long random files are those of the index's test. */
  static Stream<Integer> lengths() {
    return Sample.lengths().filter(length -> length < 10_000_000);
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void packsRandomBytes(int length) throws Exception {
    assertPacks(Files.write(folder.resolve("sample"), Sample.random(length, length)));
  }

  @Test
  void packsZeros() throws Exception {
    Path sample = Files.write(folder.resolve("sample"), new byte[1_000_001]);
    assertPacks(sample);
    assertThat(Sample.derive(form, sample)).hasSizeLessThan(300);
  }

  @ParameterizedTest
  @ValueSource(strings = {"squashfs", "ext4"})
  void packsFileSystem(String type) throws Exception {
    assertPacks(Sample.fileSystem(folder, type, 0));
  }

  @Test
  void isWorthItWhereATenthIsSaved() {
    byte[] random = Sample.random(64 * 1024, 1);
    byte[] partly = random.clone();
    Arrays.fill(partly, 0, partly.length / 5, (byte) 0);
    assertThat(form.suits(List.of(ByteBuffer.wrap(random)))).isFalse();
    assertThat(form.suits(List.of(ByteBuffer.wrap(partly)))).isTrue();
    assertThat(form.suits(List.of(ByteBuffer.wrap(random), ByteBuffer.wrap(partly)))).isFalse();
    assertThat(form.suits(List.of())).isFalse();
  }

  @Test
  void refusesWhatIsNoTable() {
    assertThatThrownBy(() -> form.pack(ByteBuffer.allocate(8)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private void assertPacks(Path sample) throws Exception {
    byte[] bytes = Files.readAllBytes(sample);
    byte[] packed = Sample.derive(form, sample);
    ChunkIndex index = indexForm.index(ByteBuffer.wrap(Sample.derive(indexForm, sample)));
    int tableLength = form.tableLength(index.count());
    ChunkPack pack = form.pack(ByteBuffer.wrap(packed, packed.length - tableLength, tableLength));
    assertThat(pack.length()).isEqualTo(packed.length - tableLength);
    for (int i = 0; i < index.count(); i++) {
      ByteRange range = index.chunk(i).range();
      ByteRange place = pack.chunk(i);
      byte[] frame = Arrays.copyOfRange(packed, (int) place.position(), (int) place.end());
      // desync allocates what the frame says.
      assertThat(Zstd.getFrameContentSize(frame)).isEqualTo(range.length());
      assertThat(Zstd.decompress(frame, (int) range.length()))
          .isEqualTo(Arrays.copyOfRange(bytes, (int) range.position(), (int) range.end()));
    }
  }
}
