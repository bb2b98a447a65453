package io.artifactserver.storage.delta;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.PathPolicy;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.program.Programs;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compared byte by byte with what Debian's zsyncmake writes. */
class ZsyncFormTest {
  private static final Instant CREATED = Instant.parse("2026-03-01T02:03:04Z");

  private final ZsyncForm form = new ZsyncForm();

  @TempDir private Path folder;

  @ParameterizedTest
  @MethodSource("io.artifactserver.storage.delta.Sample#lengths")
  void isZsyncmakes(int length) throws Exception {
    assertIsZsyncmakes(Files.write(folder.resolve("sample"), Sample.random(length, length)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"squashfs", "ext4"})
  void isZsyncmakesForFileSystem(String type) throws Exception {
    assertIsZsyncmakes(Sample.fileSystem(folder, type, 0));
  }

  /** The lengths of the checksums depend on the length alone, so the file may be one hole. */
  @ParameterizedTest
  @ValueSource(longs = {16, 255, 4_096, 1L << 24, 1L << 26, 150_000_000, 1_000_000_000})
  void keepsAsMuchOfChecksumsAsZsyncmake(long length) throws Exception {
    Programs.assumeInstalled("zsyncmake");
    Path sample = folder.resolve("sample");
    try (var file = new RandomAccessFile(sample.toFile(), "rw")) {
      file.setLength(length);
    }
    Tool.run(folder, "zsyncmake", "-u", "sample", "sample");
    String theirs = new String(head(folder.resolve("sample.zsync")), StandardCharsets.ISO_8859_1);
    ZsyncLengths lengths = ZsyncLengths.of(length);
    assertThat(theirs)
        .contains("\nBlocksize: " + lengths.block() + '\n')
        .contains(
            "\nHash-Lengths: %d,%d,%d\n"
                .formatted(lengths.sequence(), lengths.rolling(), lengths.strong()));
  }

  @Test
  void refersToNamesThatNeedEncoding() {
    String head =
        StandardCharsets.UTF_8
            .decode(form.head(artifact("a: b%é?#.img", 1, new byte[20])))
            .toString();
    assertThat(head)
        .contains("\nFilename: a: b%é?#.img\n")
        .contains("\nURL: a%3A%20b%25%C3%A9%3F%23.img\n");
  }

  private void assertIsZsyncmakes(Path sample) throws Exception {
    Programs.assumeInstalled("zsyncmake");
    Files.setLastModifiedTime(sample, FileTime.from(CREATED));
    String name = sample.getFileName().toString();
    Tool.run(folder, "zsyncmake", "-u", name, name);
    byte[] sha1 = DigestAlgorithm.SHA_1.newMessageDigest().digest(Files.readAllBytes(sample));
    ByteBuffer head = form.head(artifact(name, Files.size(sample), sha1));
    ByteArrayOutputStream ours = new ByteArrayOutputStream();
    ours.writeBytes(
        StandardCharsets.UTF_8.decode(head).toString().getBytes(StandardCharsets.UTF_8));
    ours.writeBytes(Sample.derive(form, sample));
    assertThat(HexFormat.of().formatHex(ours.toByteArray()))
        .isEqualTo(HexFormat.of().formatHex(Files.readAllBytes(folder.resolve(name + ".zsync"))));
  }

  private static Artifact artifact(String name, long length, byte[] sha1) {
    return new Artifact(
        new Repository("repository", true, false, false, PathPolicy.DEFAULT, CREATED),
        "folder/" + name,
        new BlobRef(BlobRef.newKey(), length),
        "application/octet-stream",
        new Digests(
            Map.of(
                DigestAlgorithm.SHA_256,
                Digest.of(DigestAlgorithm.SHA_256, new byte[32]),
                DigestAlgorithm.SHA_1,
                Digest.of(DigestAlgorithm.SHA_1, sha1))),
        CREATED);
  }

  private static byte[] head(Path file) throws IOException {
    try (var in = Files.newInputStream(file)) {
      return in.readNBytes(400);
    }
  }
}
