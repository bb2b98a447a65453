package io.artifactserver.storage.lint;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.program.Programs;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FormatLintTest {
  private static final byte[] XZ = HexFormat.of().parseHex("fd377a585a000000");
  private static final byte[] SQUASHFS = "hsqs and more".getBytes(StandardCharsets.US_ASCII);
  private static final InMemoryBlobStore STORE = new InMemoryBlobStore();

  @TempDir private static Path folder;

  @BeforeAll
  static void key() throws Exception {
    Programs.assumeInstalled("openssl");
    Programs.run(
        folder,
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        "key.pem",
        "-out",
        "cert.pem",
        "-days",
        "2",
        "-subj",
        "/CN=bundle");
    Files.write(folder.resolve("content"), SQUASHFS);
  }

  private static List<String> warnings(byte[] bytes) throws IOException {
    BlobRef ref;
    try (BlobUpload upload = STORE.begin()) {
      upload.write(ByteBuffer.wrap(bytes));
      ref = upload.commit();
    }
    return new FormatLint(BlobStores.of(STORE)).warnings(ref);
  }

  private static byte[] bundle(String... options) throws Exception {
    String[] command = {
      "openssl",
      "cms",
      "-sign",
      "-binary",
      "-in",
      "content",
      "-signer",
      "cert.pem",
      "-inkey",
      "key.pem",
      "-outform",
      "DER",
      "-out",
      "signature"
    };
    String[] all = Arrays.copyOf(command, command.length + options.length);
    System.arraycopy(options, 0, all, command.length, options.length);
    Programs.run(folder, all);
    byte[] signature = Files.readAllBytes(folder.resolve("signature"));
    return ByteBuffer.allocate(SQUASHFS.length + signature.length + Long.BYTES)
        .put(SQUASHFS)
        .put(signature)
        .putLong(signature.length)
        .array();
  }

  @Test
  void bundlesOfRauc() throws Exception {
    assertThat(warnings(bundle())).containsExactly(FormatLint.PLAIN);
    // As those of verity and crypt, with the manifest in it.
    assertThat(warnings(bundle("-nodetach"))).isEmpty();
    assertThat(warnings(SQUASHFS)).isEmpty();
    byte[] cut = bundle();
    cut[cut.length - 1] ^= 1;
    assertThat(warnings(cut)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, 1, Long.MAX_VALUE, Long.MIN_VALUE, 65_537})
  void lengthsOfSignaturesThatAreNone(long length) throws Exception {
    assertThat(warnings(ByteBuffer.allocate(100).put(SQUASHFS).putLong(92, length).array()))
        .isEmpty();
  }

  @Test
  void archivesOfSwupdate() throws Exception {
    byte[] description = "software = {}".getBytes(StandardCharsets.US_ASCII);
    byte[] image = new byte[50_001];
    assertThat(warnings(archive("sw-description", description, "fw.img", image))).isEmpty();
    assertThat(warnings(archive("sw-description", description, "a", image, "fw.xz", XZ)))
        .containsExactly(FormatLint.SWU.formatted("fw.xz"));
    // Any other cpio is none of our business.
    assertThat(warnings(archive("a", description, "fw.xz", XZ))).isEmpty();
  }

  @Test
  void archivesThatAreBroken() throws Exception {
    byte[] archive =
        archive("sw-description", new byte[10], "a", new byte[0], "fw.xz", new byte[3]);
    for (int length = 0; length < archive.length; length++) {
      assertThat(warnings(Arrays.copyOf(archive, length))).as("%d", length).isEmpty();
    }
    for (String number : List.of("FFFFFFFF", "-0000001", "xxxxxxxx", "7FFFFFFF")) {
      for (int field : new int[] {54, 94}) {
        byte[] changed = archive.clone();
        byte[] text = number.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(text, 0, changed, field, text.length);
        assertThat(warnings(changed)).as(number).isEmpty();
      }
    }
  }

  @Test
  void imagesThatAreOneCompressedStream() throws Exception {
    assertThat(warnings(XZ)).containsExactly(FormatLint.COMPRESSED);
    assertThat(warnings(new byte[0])).isEmpty();
    assertThat(warnings(new byte[5])).isEmpty();
  }

  @Test
  void aBlobThatIsAwayHasNoWarnings() {
    assertThat(new FormatLint(BlobStores.of(STORE)).warnings(new BlobRef(BlobRef.newKey(), 100)))
        .isEmpty();
  }

  /** Names and contents in turn. */
  private static byte[] archive(Object... members) throws IOException {
    ByteArrayOutputStream archive = new ByteArrayOutputStream();
    for (int i = 0; i < members.length; i += 2) {
      member(archive, (String) members[i], (byte[]) members[i + 1]);
    }
    member(archive, "TRAILER!!!", new byte[0]);
    return archive.toByteArray();
  }

  private static void member(ByteArrayOutputStream archive, String name, byte[] content)
      throws IOException {
    StringBuilder head = new StringBuilder("070701");
    for (int i = 0; i < 13; i++) {
      head.append("%08X".formatted(i == 6 ? content.length : i == 11 ? name.length() + 1 : 0));
    }
    archive.write((head + name + '\0').getBytes(StandardCharsets.US_ASCII));
    pad(archive);
    archive.write(content);
    pad(archive);
  }

  private static void pad(ByteArrayOutputStream archive) {
    while (archive.size() % 4 != 0) {
      archive.write(0);
    }
  }
}
