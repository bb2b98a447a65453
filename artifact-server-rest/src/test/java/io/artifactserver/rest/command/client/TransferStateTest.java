package io.artifactserver.rest.command.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.range.ByteRange;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a later process is told of an earlier one. */
class TransferStateTest {
  private static final ArtifactId ID = new ArtifactId("boards", "1.0/firmware.img");
  private static final Remote.Found FOUND = new Remote.Found(1000, "\"tag\"", "0".repeat(64));

  private final StringWriter errors = new StringWriter();
  private final Console console =
      new Console(
          new PrintWriter(errors, true),
          new PrintWriter(errors, true),
          "push",
          0,
          new ClientOptions());

  @TempDir private Path folder;

  @Test
  void fetchedBytesAreExact() {
    SplittableRandom random = new SplittableRandom(48);
    for (int round = 0; round < 200; round++) {
      FetchedBytes fetched = new FetchedBytes();
      BitSet bits = new BitSet();
      for (int i = 0; i < 20; i++) {
        int begin = random.nextInt(100);
        int length = random.nextInt(12);
        fetched.add(new ByteRange(begin, length));
        bits.set(begin, begin + length);
        assertThat(fetched.count()).isEqualTo(bits.cardinality());
      }
      BitSet missing = new BitSet();
      for (ByteRange range : fetched.missing(new ByteRange(5, 100))) {
        assertThat(range.isEmpty()).isFalse();
        missing.set((int) range.position(), (int) range.end());
      }
      BitSet expected = new BitSet();
      expected.set(5, 105);
      expected.andNot(bits);
      assertThat(missing).isEqualTo(expected);
      String encoded = fetched.encoded();
      assertThat(FetchedBytes.decode(encoded).encoded()).isEqualTo(encoded);
    }
  }

  @Test
  void runsThatTouchAreOne() {
    FetchedBytes fetched = new FetchedBytes();
    fetched.add(new ByteRange(0, 10));
    fetched.add(new ByteRange(20, 10));
    assertThat(fetched.encoded()).isEqualTo("0-10,20-30");
    fetched.add(new ByteRange(10, 10));
    assertThat(fetched.encoded()).isEqualTo("0-30");
  }

  @Test
  void aDigestFollowsBytesThatComeInAnyOrder() throws Exception {
    byte[] content = new byte[3_000_001];
    new SplittableRandom(49).nextBytes(content);
    Path file = Files.write(folder.resolve("f"), content);
    FetchedBytes fetched = new FetchedBytes();
    FutureTask<String> digest = new FutureTask<>(new FileDigest(file, content.length, fetched));
    Thread.ofVirtual().start(digest);
    for (int begin : new int[] {1_000_000, 2_500_000, 0, 1_700_000}) {
      fetched.add(new ByteRange(begin, Math.min(999_000, content.length - begin)));
      assertThat(digest.isDone()).isFalse();
    }
    fetched.add(new ByteRange(999_000, 1_000));
    assertThat(digest.get(30, TimeUnit.SECONDS))
        .isEqualTo(
            Digest.of(
                    DigestAlgorithm.SHA_256,
                    DigestAlgorithm.SHA_256.newMessageDigest().digest(content))
                .hex());
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "5-5", "6-5", "-1-5", "a-b", "0-10,", "0-10;20-30"})
  void otherTextIsNoRuns(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> FetchedBytes.decode(text));
  }

  @Test
  void aDownloadGoesOnWithItsVersionOnly() throws Exception {
    Path part = Files.write(folder.resolve("f.part"), new byte[1000]);
    PullState state = PullState.open(part, FOUND);
    assertThat(state.fetched().count()).isZero();
    state.fetched().add(new ByteRange(100, 200));
    state.save();
    assertThat(PullState.open(part, FOUND).fetched().encoded()).isEqualTo("100-300");
    Remote.Found other = new Remote.Found(1000, "\"other\"", "1".repeat(64));
    assertThat(PullState.open(part, other).fetched().count()).isZero();
    Files.write(part, new byte[150]);
    assertThat(PullState.open(part, FOUND).fetched().encoded()).isEqualTo("100-150");
    Files.write(part, new byte[100]);
    assertThat(PullState.open(part, FOUND).fetched().count()).isZero();
    Files.delete(part);
    assertThat(PullState.open(part, FOUND).fetched().count()).isZero();
  }

  @Test
  void aDamagedStateIsNone() throws Exception {
    Path part = Files.write(folder.resolve("f.part"), new byte[1000]);
    for (String text : List.of("tag=\"tag\"\nlength=1000\nbytes=5-1\n", "\\u00zz", "\0\0")) {
      Files.writeString(folder.resolve("f.part.state"), text);
      assertThat(PullState.open(part, FOUND).fetched().count()).isZero();
    }
  }

  /** As the task that computes a digest is, when the server refuses the upload. */
  @Test
  void aStateWhoseThreadIsInterruptedLeavesNoFile() {
    StateFile state = new StateFile(folder.resolve("state"));
    Thread.currentThread().interrupt();
    assertThatIOException().isThrownBy(() -> state.write(Map.of("version", "1")));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void anUploadIsRememberedForItsFileOnly() throws Exception {
    UploadState.Begun begun =
        new UploadState.Begun("version 1", "a".repeat(64), List.of("first", "second"));
    try (UploadState state = open("firmware.img")) {
      assertThat(state.begun()).isEmpty();
      state.remember(begun);
    }
    try (UploadState state = open("firmware.img")) {
      assertThat(state.begun()).hasValue(begun);
      try (UploadState other = open("other.img")) {
        assertThat(other.begun()).isEmpty();
      }
      state.forget();
      assertThat(state.begun()).isEmpty();
    }
  }

  @Test
  void anUploadIsSecretAndAlone() throws Exception {
    try (UploadState state = open("firmware.img")) {
      state.remember(new UploadState.Begun("1", "a".repeat(64), List.of("first")));
      try (Stream<Path> files = Files.list(folder.resolve("uploads"))) {
        Path file =
            files.filter(path -> path.toString().endsWith(".properties")).findFirst().orElseThrow();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
            .isEqualTo("rw-------");
      }
      assertThatExceptionOfType(ClientException.class)
          .isThrownBy(() -> open("firmware.img"))
          .withMessageContaining("another process is pushing");
      state.forget();
    }
    assertThat(folder.resolve("uploads")).isEmptyDirectory();
  }

  @Test
  void withoutAFolderNothingIsRememberedAndTheUploadGoesOn() throws Exception {
    Files.writeString(folder.resolve("uploads"), "in the way");
    try (UploadState state = open("firmware.img")) {
      state.remember(new UploadState.Begun("1", "a".repeat(64), List.of("first")));
      assertThat(state.begun()).isEmpty();
    }
    assertThat(errors.toString()).contains("cannot remember this upload");
  }

  private UploadState open(String file) throws ClientException {
    return UploadState.open(
        folder.resolve("uploads"), "https://a.example", ID, folder.resolve(file), console);
  }
}
