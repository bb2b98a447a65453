package io.artifactserver.storage.hawkbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException.BlobNotFound;
import io.artifactserver.core.blob.StorageException.StorageUnavailable;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.grant.GrantedArtifact;
import io.artifactserver.core.grant.GrantedFile;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files that hawkBit's folder may show, and those of them that are served. */
class HawkbitFolderTest {
  private static final byte[] CONTENT = bytes(700_001);

  private final MappedFiles mappedFiles = new MappedFiles(4, Duration.ofMinutes(1));

  @TempDir private Path root;

  @AfterEach
  void close() {
    mappedFiles.close();
  }

  @Test
  void servesAFileFromItsMapping() throws IOException {
    GrantedArtifact artifact = artifact("DEFAULT", CONTENT);
    write(artifact, CONTENT);
    HawkbitFolder folder = new HawkbitFolder(root, mappedFiles);
    assertThat(folder.known(artifact)).isEmpty();
    GrantedFile file = folder.check(artifact);
    assertThat(folder.known(artifact)).contains(file);
    assertThat(file.blob().waitToOpen()).isEqualTo(Wait.DISK);
    try (FileRegion region = file.blob().fileRegion(new ByteRange(3, 5)).orElseThrow()) {
      assertThat(region.slice(0, 5)).isEqualTo(ByteBuffer.wrap(CONTENT, 3, 5));
    }
    assertThat(file.blob().waitToOpen()).isEqualTo(Wait.NONE);
    ByteBuffer read = ByteBuffer.allocate(CONTENT.length);
    try (RangeReader reader = file.blob().open(ByteRange.whole(CONTENT.length))) {
      while (reader.read(read) >= 0) {
        // Reads on.
      }
    }
    assertThat(read.array()).isEqualTo(CONTENT);
  }

  @Test
  void servesNoByteOfACopyThatIsUnderWay() throws IOException {
    GrantedArtifact artifact = artifact("DEFAULT", CONTENT);
    HawkbitFolder folder = new HawkbitFolder(root, mappedFiles);
    write(artifact, Arrays.copyOf(CONTENT, 1000));
    assertThatExceptionOfType(StorageUnavailable.class)
        .isThrownBy(() -> folder.check(artifact))
        .withMessageContaining("has 1000 bytes, not 700001");
    // Some programs make room first.
    write(artifact, Arrays.copyOf(Arrays.copyOf(CONTENT, 1000), CONTENT.length));
    assertThatExceptionOfType(StorageUnavailable.class)
        .isThrownBy(() -> folder.check(artifact))
        .withMessageContaining("sha256:");
    assertThat(folder.known(artifact)).isEmpty();
    write(artifact, CONTENT);
    assertThat(folder.check(artifact).blob().length()).isEqualTo(CONTENT.length);
  }

  @Test
  void readsAFileAgainThatTookThePlaceOfAnother() throws IOException {
    GrantedArtifact artifact = artifact("DEFAULT", CONTENT);
    HawkbitFolder folder = new HawkbitFolder(root, mappedFiles);
    Path path = write(artifact, CONTENT);
    FileTime time = Files.getLastModifiedTime(path);
    GrantedFile file = folder.check(artifact);
    byte[] other = CONTENT.clone();
    other[CONTENT.length / 2]++;
    write(artifact, other);
    Files.setLastModifiedTime(path, time);
    assertThatExceptionOfType(StorageUnavailable.class)
        .isThrownBy(() -> file.blob().fileRegion(new ByteRange(0, 1)));
    assertThat(folder.known(artifact)).isEmpty();
  }

  @Test
  void truncatedFileIsNotMapped() throws IOException {
    GrantedArtifact artifact = artifact("DEFAULT", CONTENT);
    HawkbitFolder folder = new HawkbitFolder(root, mappedFiles);
    Path path = write(artifact, CONTENT);
    GrantedFile file = folder.check(artifact);
    Files.write(path, Arrays.copyOf(CONTENT, 10));
    assertThatExceptionOfType(StorageUnavailable.class)
        .isThrownBy(() -> file.blob().fileRegion(new ByteRange(0, 1)))
        .withMessageContaining("has 10 bytes, not 700001");
  }

  @Test
  void mappingGoesWithTheFileThatWasMapped() throws IOException {
    GrantedArtifact artifact = artifact("DEFAULT", CONTENT);
    HawkbitFolder folder = new HawkbitFolder(root, mappedFiles);
    Path path = write(artifact, CONTENT);
    folder.check(artifact).blob().fileRegion(new ByteRange(0, 1)).orElseThrow().close();
    GrantedFile file = folder.check(artifact);
    assertThat(mappedFiles.size()).isEqualTo(1);
    Files.write(path, Arrays.copyOf(CONTENT, 10));
    assertThatExceptionOfType(StorageUnavailable.class).isThrownBy(() -> folder.check(artifact));
    assertThat(mappedFiles.size()).isZero();
    write(artifact, CONTENT);
    assertThat(folder.check(artifact)).isNotEqualTo(file);
    try (FileRegion region = file.blob().fileRegion(new ByteRange(3, 5)).orElseThrow()) {
      assertThat(region.slice(0, 5)).isEqualTo(ByteBuffer.wrap(CONTENT, 3, 5));
    }
  }

  @Test
  void fileThatVanishesIsServedToItsEndAndMissingAfterwards() throws IOException {
    GrantedArtifact artifact = artifact("DEFAULT", CONTENT);
    HawkbitFolder folder = new HawkbitFolder(root, mappedFiles);
    Path path = write(artifact, CONTENT);
    GrantedFile file = folder.check(artifact);
    try (FileRegion region =
        file.blob().fileRegion(ByteRange.whole(CONTENT.length)).orElseThrow()) {
      Files.delete(path);
      assertThat(region.slice(0, CONTENT.length)).isEqualTo(ByteBuffer.wrap(CONTENT));
    }
    mappedFiles.close();
    assertThatExceptionOfType(BlobNotFound.class).isThrownBy(() -> folder.check(artifact));
    assertThat(folder.known(artifact)).isEmpty();
  }

  @Test
  void tenantsDoNotShareFiles() throws IOException {
    write(artifact("ONE", CONTENT), CONTENT);
    write(artifact("TWO", new byte[1]), new byte[1]);
    HawkbitFolder folder = new HawkbitFolder(root, mappedFiles);
    assertThat(folder.check(artifact("ONE", CONTENT)).blob().length()).isEqualTo(CONTENT.length);
    assertThatExceptionOfType(BlobNotFound.class)
        .isThrownBy(() -> folder.check(artifact("TWO", CONTENT)));
  }

  @Test
  void symbolicLinksAreNotFollowed() throws IOException {
    GrantedArtifact artifact = artifact("DEFAULT", CONTENT);
    Path path = write(artifact, CONTENT);
    Path elsewhere = Files.move(path, root.resolve("elsewhere"));
    Files.createSymbolicLink(path, elsewhere);
    HawkbitFolder folder = new HawkbitFolder(root, mappedFiles);
    assertThatExceptionOfType(StorageUnavailable.class).isThrownBy(() -> folder.check(artifact));
  }

  @Test
  void noTenantLeadsOutOfTheFolder() {
    for (String tenant : new String[] {"", "..", ".", "a/b", "a\\b", "../X", "A\0", "-A"}) {
      assertThatIllegalArgumentException().isThrownBy(() -> artifact(tenant, CONTENT));
    }
  }

  @Test
  void folderThatIsNotMountedIsNoReasonToCallAFileMissing() throws IOException {
    // An empty folder is what a mount leaves behind.
    for (Path folder :
        new Path[] {root.resolve("absent"), Files.createDirectory(root.resolve("e"))}) {
      assertThatExceptionOfType(StorageUnavailable.class)
          .isThrownBy(
              () -> new HawkbitFolder(folder, mappedFiles).check(artifact("DEFAULT", CONTENT)))
          .withMessageContaining("Is hawkBit's folder mounted at " + folder);
    }
  }

  /** As hawkBit does within a file system. */
  private Path write(GrantedArtifact artifact, byte[] content) throws IOException {
    String sha1 = artifact.sha1().hex();
    Path folder =
        Files.createDirectories(
            root.resolve(artifact.tenant())
                .resolve(sha1.substring(36, 38))
                .resolve(sha1.substring(38)));
    Path temporary = Files.write(root.resolve("artifact.tmp"), content);
    return Files.move(temporary, folder.resolve(sha1), StandardCopyOption.ATOMIC_MOVE);
  }

  private static GrantedArtifact artifact(String tenant, byte[] content) {
    return new GrantedArtifact(
        tenant,
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

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(22).nextBytes(bytes);
    return bytes;
  }
}
