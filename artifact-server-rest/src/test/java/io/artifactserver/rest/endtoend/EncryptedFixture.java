package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** Content that can be recognised in files, and checks of its delivery. */
abstract class EncryptedFixture {
  static final int LENGTH = 3_000_000;
  static final String MARKER = "KNOWN-PLAINTEXT/";

  @TempDir Path folder;

  static void requireDelivered(Operator operator, String path, byte[] content) throws Exception {
    HttpResponse<byte[]> whole = operator.download(path);
    assertThat(whole.statusCode()).isEqualTo(200);
    assertThat(whole.body()).isEqualTo(content);
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
    assertThat(whole.headers().firstValue("ETag"))
        .contains('"' + HexFormat.of().formatHex(digest) + '"');
    int[][] ranges = {{0, 1}, {65_400, 300}, {1_000_001, 131_072}, {LENGTH - 1, 1}, {0, LENGTH}};
    for (int[] range : ranges) {
      HttpResponse<byte[]> part =
          operator.download(
              path, "Range", "bytes=%d-%d".formatted(range[0], range[0] + range[1] - 1));
      assertThat(part.statusCode()).isEqualTo(206);
      assertThat(part.body()).isEqualTo(Arrays.copyOfRange(content, range[0], range[0] + range[1]));
    }
    HttpResponse<byte[]> several =
        operator.download(path, "Range", "bytes=2000000-2200000,0-99,65463-65464,-5");
    assertThat(several.statusCode()).isEqualTo(206);
    requireParts(
        several,
        content,
        new int[][] {{2_000_000, 200_001}, {0, 100}, {65_463, 2}, {LENGTH - 5, 5}});
  }

  private static void requireParts(HttpResponse<byte[]> several, byte[] content, int[][] ranges) {
    String body = new String(several.body(), StandardCharsets.ISO_8859_1);
    int from = 0;
    for (int[] range : ranges) {
      Matcher header =
          Pattern.compile("Content-Range: bytes (\\d+)-(\\d+)/\\d+\r\n\r\n").matcher(body);
      assertThat(header.find(from)).isTrue();
      assertThat(Integer.parseInt(header.group(1))).isEqualTo(range[0]);
      assertThat(Arrays.copyOfRange(several.body(), header.end(), header.end() + range[1]))
          .isEqualTo(Arrays.copyOfRange(content, range[0], range[0] + range[1]));
      from = header.end() + range[1];
    }
    assertThat(several.headers().firstValue("Content-Length"))
        .contains(String.valueOf(several.body().length));
  }

  Path onlyBlob() throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve("data/blobs"))) {
      List<Path> blobs = files.filter(Files::isRegularFile).toList();
      assertThat(blobs).hasSize(1);
      return blobs.getFirst();
    }
  }

  /** Random bytes with the marker every now and then, so that every segment has it. */
  static byte[] markedContent(long seed) {
    byte[] content = Bytes.random(LENGTH, seed);
    byte[] marker = MARKER.getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i + marker.length < content.length; i += 1000) {
      System.arraycopy(marker, 0, content, i, marker.length);
    }
    return content;
  }
}
