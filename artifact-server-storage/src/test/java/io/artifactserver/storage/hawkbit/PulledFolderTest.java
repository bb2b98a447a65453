package io.artifactserver.storage.hawkbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.StorageException.BlobNotFound;
import io.artifactserver.core.blob.StorageException.StorageFull;
import io.artifactserver.core.blob.StorageException.StorageUnavailable;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.grant.Arrival;
import io.artifactserver.core.grant.GrantedArtifact;
import io.artifactserver.core.grant.GrantedFile;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that arrive from hawkBit, and what is served of them meanwhile and afterwards. */
class PulledFolderTest {
  private static final byte[] CONTENT = bytes(300_001, 1);

  private final MappedFiles mappedFiles = new MappedFiles(4, Duration.ofMinutes(1));

  @TempDir private Path root;
  private PulledFolder folder;

  @BeforeEach
  void open() throws IOException {
    folder = PulledFolder.open(root, 1_000_000, _ -> true, true, mappedFiles);
  }

  @AfterEach
  void close() {
    mappedFiles.close();
  }

  @Test
  void servesWhatHasComeAndWaitsForTheRest() throws IOException {
    GrantedArtifact artifact = artifact(CONTENT);
    assertThat(folder.known(artifact)).isEmpty();
    assertThatExceptionOfType(BlobNotFound.class).isThrownBy(() -> folder.check(artifact));
    try (Arrival arrival = folder.begin(artifact)) {
      GrantedFile file = folder.known(artifact).orElseThrow();
      assertThat(folder.check(artifact)).isSameAs(file).isSameAs(arrival.file());
      assertThat(file.blob().waitToOpen()).isEqualTo(Wait.REMOTE);
      assertThat(file.blob().fileRegion(new ByteRange(0, 1))).isEmpty();
      arrival.write(ByteBuffer.wrap(CONTENT, 0, 1000));
      assertThat(read(file.blob(), new ByteRange(10, 20)))
          .isEqualTo(Arrays.copyOfRange(CONTENT, 10, 30));
      CompletableFuture<byte[]> whole =
          CompletableFuture.supplyAsync(() -> readUnchecked(file.blob(), CONTENT.length));
      arrival.write(ByteBuffer.wrap(CONTENT, 1000, CONTENT.length - 1000));
      // Nobody has all bytes of what was not compared with its digest.
      assertThat(whole).isNotDone();
      arrival.finish();
      assertThat(whole.join()).isEqualTo(CONTENT);
      try (FileRegion region = file.blob().fileRegion(new ByteRange(3, 5)).orElseThrow()) {
        assertThat(region.slice(0, 5)).isEqualTo(ByteBuffer.wrap(CONTENT, 3, 5));
      }
    }
    GrantedFile kept = folder.known(artifact).orElseThrow();
    assertThat(read(kept.blob(), ByteRange.whole(CONTENT.length))).isEqualTo(CONTENT);
    // After a restart, too.
    PulledFolder next = PulledFolder.open(root, 1_000_000, _ -> true, true, mappedFiles);
    assertThat(next.check(artifact).storedAt()).isEqualTo(kept.storedAt());
  }

  @Test
  void withoutStreamingNothingIsKnownBeforeItWasCompared() throws IOException {
    PulledFolder careful = PulledFolder.open(root, 1_000_000, _ -> true, false, mappedFiles);
    GrantedArtifact artifact = artifact(CONTENT);
    try (Arrival arrival = careful.begin(artifact)) {
      arrival.write(ByteBuffer.wrap(CONTENT));
      assertThat(careful.known(artifact)).isEmpty();
      assertThatExceptionOfType(StorageUnavailable.class)
          .isThrownBy(() -> careful.check(artifact))
          .withMessageContaining("ask again");
      arrival.finish();
      assertThat(read(arrival.file().blob(), ByteRange.whole(CONTENT.length))).isEqualTo(CONTENT);
    }
    assertThat(careful.known(artifact)).isPresent();
  }

  @Test
  void whatDoesNotArriveLeavesNothing() throws IOException {
    GrantedArtifact artifact = artifact(CONTENT);
    CompletableFuture<byte[]> whole;
    Blob blob;
    try (Arrival arrival = folder.begin(artifact)) {
      blob = arrival.file().blob();
      arrival.write(ByteBuffer.wrap(CONTENT, 0, 1000));
      Blob arriving = blob;
      whole = CompletableFuture.supplyAsync(() -> readUnchecked(arriving, CONTENT.length));
      assertThatExceptionOfType(StorageUnavailable.class).isThrownBy(() -> folder.begin(artifact));
      assertThat(folder.known(artifact)).isPresent();
    }
    assertThatExceptionOfType(CompletionException.class).isThrownBy(whole::join);
    assertThatExceptionOfType(StorageUnavailable.class)
        .isThrownBy(() -> read(blob, new ByteRange(0, 10)));
    assertThat(folder.known(artifact)).isEmpty();
    assertThat(files()).isZero();
  }

  @Test
  void otherBytesAreNeverKept() throws IOException {
    byte[] other = CONTENT.clone();
    other[7]++;
    try (Arrival arrival = folder.begin(artifact(CONTENT))) {
      arrival.write(ByteBuffer.wrap(other));
      assertThatExceptionOfType(StorageUnavailable.class)
          .isThrownBy(arrival::finish)
          .withMessageContaining("in hawkBit, not sha256:");
    }
    try (Arrival arrival = folder.begin(artifact(CONTENT))) {
      assertThatExceptionOfType(StorageUnavailable.class)
          .isThrownBy(() -> arrival.write(ByteBuffer.allocate(CONTENT.length + 1)));
      assertThatExceptionOfType(StorageUnavailable.class).isThrownBy(arrival::finish);
    }
    assertThat(files()).isZero();
  }

  @Test
  void whatCameFirstMakesRoom() throws IOException {
    GrantedArtifact[] artifacts = new GrantedArtifact[4];
    for (int i = 0; i < 4; i++) {
      byte[] content = bytes(300_000, i + 10);
      artifacts[i] = artifact(content);
      pull(artifacts[i], content);
    }
    assertThat(files()).isEqualTo(3);
    assertThatExceptionOfType(BlobNotFound.class)
        .isThrownBy(() ->
            PulledFolder.open(root, 1_000_000, _ -> true, true, mappedFiles).check(artifacts[0]));
    assertThatExceptionOfType(StorageFull.class)
        .isThrownBy(() -> folder.begin(artifact(bytes(1_000_001, 3))))
        .withMessageContaining("artifact-server.hawkbit.pull-size");
  }

  /** A file that is mapped keeps its room on the disk. */
  @Test
  void whatMadeRoomIsServedToTheEndAndMappedNoMore() throws IOException {
    GrantedArtifact first = artifact(CONTENT);
    pull(first, CONTENT);
    Blob blob = folder.known(first).orElseThrow().blob();
    try (FileRegion region = blob.fileRegion(ByteRange.whole(CONTENT.length)).orElseThrow()) {
      for (int i = 0; i < 3; i++) {
        byte[] content = bytes(300_000, i + 10);
        pull(artifact(content), content);
      }
      assertThat(folder.known(first)).isEmpty();
      assertThat(region.slice(0, CONTENT.length)).isEqualTo(ByteBuffer.wrap(CONTENT));
    }
    assertThat(mappedFiles.size()).isZero();
    assertThatExceptionOfType(StorageUnavailable.class)
        .isThrownBy(() -> read(blob, new ByteRange(0, 1)))
        .withMessageContaining("has vanished");
  }

  @Test
  void fileThatIsDamagedIsFetchedAgain() throws IOException {
    GrantedArtifact artifact = artifact(CONTENT);
    pull(artifact, CONTENT);
    Path file;
    try (Stream<Path> found = Files.walk(root)) {
      file = found.filter(Files::isRegularFile).findFirst().orElseThrow();
    }
    Files.write(file, new byte[10]);
    Files.write(root.resolve("arriving/left.part"), new byte[10]);
    PulledFolder next = PulledFolder.open(root, 1_000_000, _ -> true, true, mappedFiles);
    assertThat(files()).isEqualTo(1);
    assertThatExceptionOfType(BlobNotFound.class).isThrownBy(() -> next.check(artifact));
    folder = next;
    pull(artifact, CONTENT);
    assertThat(read(next.check(artifact).blob(), ByteRange.whole(CONTENT.length)))
        .isEqualTo(CONTENT);
  }

  private void pull(GrantedArtifact artifact, byte[] content) throws StorageException {
    try (Arrival arrival = folder.begin(artifact)) {
      arrival.write(ByteBuffer.wrap(content));
      arrival.finish();
    }
  }

  private long files() throws IOException {
    try (Stream<Path> found = Files.walk(root)) {
      return found.filter(Files::isRegularFile).count();
    }
  }

  private static byte[] readUnchecked(Blob blob, int length) {
    try {
      return read(blob, ByteRange.whole(length));
    } catch (StorageException e) {
      throw new CompletionException(e);
    }
  }

  private static byte[] read(Blob blob, ByteRange range) throws StorageException {
    ByteBuffer bytes = ByteBuffer.allocate((int) range.length());
    try (RangeReader reader = blob.open(range)) {
      while (reader.read(bytes) >= 0) {
        // Reads on.
      }
    }
    return bytes.array();
  }

  private static GrantedArtifact artifact(byte[] content) {
    return new GrantedArtifact(
        "DEFAULT",
        "fw.img",
        content.length,
        new Digests(
            Map.of(
                DigestAlgorithm.SHA_1, digest(DigestAlgorithm.SHA_1, content),
                DigestAlgorithm.SHA_256, digest(DigestAlgorithm.SHA_256, content))));
  }

  private static Digest digest(DigestAlgorithm algorithm, byte[] content) {
    return Digest.of(algorithm, algorithm.newMessageDigest().digest(content));
  }

  private static byte[] bytes(int length, int seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }
}
