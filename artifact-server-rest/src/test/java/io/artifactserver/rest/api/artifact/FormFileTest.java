package io.artifactserver.rest.api.artifact;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.rest.problem.ProblemException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Forms of RFC 7578, and what is none. */
class FormFileTest {
  private static final String BOUNDARY = "----Boundary7";
  private static final String TYPE = "multipart/form-data; boundary=" + BOUNDARY;
  private static final String SHA_256 = "ab".repeat(32);
  private static final IngestRequest REQUEST =
      new IngestRequest(
          new ArtifactId("public", "fw.json"), "text/x", IngestRequest.UNKNOWN_LENGTH, List.of());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "\r",
        "\n",
        "\r\n",
        "--",
        "a\r\n\r\n",
        "a\r\r",
        "a\n\r",
        "\r\n--",
        "\r\n------Boundary",
        "\r\n------Boundary\r\n------Boundary",
        "x------Boundary7 inside",
        "\r------Boundary7 behind a CR",
        "------Boundary",
        "\r\n----Boundary7--\r\n",
        "--\r\n\r\n--\r\n--"
      })
  void theFileIsThereToTheByteHoweverItsBodyIsCut(String content) throws IOException {
    byte[] bytes = content.getBytes(ISO_8859_1);
    byte[] body = form(field("a", "1"), file(bytes), field("sha256", SHA_256));
    for (int length = 1; length <= body.length; length++) {
      FormFile file = FormFile.open(TYPE, new Pieces(body, length));
      assertThat(file.readAllBytes()).as("pieces of %d", length).isEqualTo(bytes);
      assertThat(file.describe(REQUEST).expectedDigests())
          .containsExactly(new Digest(DigestAlgorithm.SHA_256, SHA_256));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {32_767, 32_768, 32_769, 1_000_000})
  void aLongFileIsThereToTheByte(int length) throws IOException {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    byte[] body = form(file(bytes));
    for (int pieces : new int[] {1000, 16_384, 32_768, body.length}) {
      assertThat(FormFile.open(TYPE, new Pieces(body, pieces)).readAllBytes()).isEqualTo(bytes);
    }
  }

  /** Or a form of 60 GB would be in memory. */
  @Test
  void noMoreIsReadThanIsAskedFor() throws IOException {
    Pieces source = new Pieces(form(file(new byte[1_000_000])), Integer.MAX_VALUE);
    FormFile file = FormFile.open(TYPE, source);
    int before = source.read;
    assertThat(before).isLessThanOrEqualTo(32 * 1024);
    for (int i = 0; i < 32 * 1024; i++) {
      assertThat(file.read()).isZero();
    }
    assertThat(source.read - before).isLessThanOrEqualTo(32 * 1024);
  }

  @Test
  void whatEndsEarlyIsNoFile() {
    byte[] body = form(file("content".getBytes(ISO_8859_1)));
    int end = body.length - "\r\n".length();
    for (int length = 0; length < end; length++) {
      assertRefused(Arrays.copyOf(body, length), 400);
    }
    assertThat(read(Arrays.copyOf(body, end))).isEqualTo("content");
  }

  @Test
  void aBodyThatBreaksOffIsNoFileEither() {
    byte[] body = form(file(new byte[100]));
    Pieces broken = new Pieces(Arrays.copyOf(body, 150), 100);
    broken.isBroken = true;
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> FormFile.open(TYPE, broken).readAllBytes())
        .withMessage("reset");
  }

  /** A line of the data must not begin with it: RFC 2046, section 5.1.1. */
  @Test
  void aLineThatBeginsWithTheBoundaryIsNoData() {
    assertRefused(form(file("a\r\n------Boundary7x".getBytes(ISO_8859_1))), 400);
  }

  /** RFC 2046, section 5.1.1: CRLF alone. */
  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r"})
  void otherLineBreaksAreNone(String lineBreak) {
    String body = new String(form(field("a", "b"), file("one\ntwo".getBytes(UTF_8))), UTF_8);
    assertRefused(body.replace("\r\n", lineBreak).getBytes(UTF_8), 400);
  }

  /** It may be the file's own: the file must not end there. */
  @ParameterizedTest
  @ValueSource(
      strings = {"a\n------Boundary7\r\nb", "a\n------Boundary7--\r\n", "\n------Boundary7--"})
  void aLineFeedBeforeABoundaryDoesNotCutTheFile(String content) {
    assertRefused(form(file(content.getBytes(ISO_8859_1))), 400);
  }

  @Test
  void aPreambleAndAnEpilogueAreNotTheFile() {
    String body = new String(form(file("x".getBytes(UTF_8))), UTF_8);
    assertThat(read(("For old mailers.\r\n" + body + "So long.").getBytes(UTF_8))).isEqualTo("x");
    String much = "y".repeat(FormFile.MAX_OTHER);
    assertRefused((much + "\r\n" + body).getBytes(UTF_8), 413);
    assertRefused((body + much).getBytes(UTF_8), 413);
  }

  @Test
  void fieldsStandOnEitherSide() throws IOException {
    for (byte[] body :
        List.of(
            form(
                field("sha256", SHA_256.toUpperCase(Locale.ROOT)),
                field("mediaType", "a/b"),
                field("_csrf", "t"),
                file("x".getBytes(UTF_8))),
            form(field("mediaType", "a/b"), file("x".getBytes(UTF_8)), field("sha256", SHA_256)))) {
      FormFile file = FormFile.open(TYPE, new ByteArrayInputStream(body));
      assertThat(file.readAllBytes()).isEqualTo("x".getBytes(UTF_8));
      assertThat(file.describe(REQUEST))
          .isEqualTo(
              new IngestRequest(
                  REQUEST.id(),
                  "a/b",
                  IngestRequest.UNKNOWN_LENGTH,
                  List.of(new Digest(DigestAlgorithm.SHA_256, SHA_256))));
    }
  }

  @Test
  void withoutAFieldThePartsTypeCountsAndThenThePaths() throws IOException {
    assertThat(described(part("name=\"file\"; filename=a", "Content-Type: c/d\r\n", "x")))
        .isEqualTo("c/d");
    assertThat(described(part("name=\"file\"", "", "x"))).isEqualTo("application/json");
    assertThat(
            described(part("name=\"file\"", "Content-Type: c/d\r\n", "x"), field("mediaType", "")))
        .isEqualTo("c/d");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "name=\"file\"; filename=\"größe 🎉.bin\"",
        "name=\"file\"; filename*=UTF-8''gr%C3%B6%C3%9Fe.bin; filename=\"a.bin\"",
        "name=file; filename=a.bin",
        "name=\"file\"; filename=\"a\\\"b;name=x.bin\"",
        "name=\"file\"; filename=\"C:\\folder\\a.bin\"",
        "name=\"file\"; filename=\"../../etc/passwd\"",
        "filename=\"a.bin\"; name=\"file\"",
      })
  void theFilesOwnNameIsNothingToUs(String disposition) {
    String body = new String(form(part(disposition, "", "x"), field("größe", "y")), UTF_8);
    assertThat(read(body.getBytes(UTF_8))).isEqualTo("x");
    assertThat(read(body.getBytes(ISO_8859_1))).isEqualTo("x");
  }

  @Test
  void exactlyOneFile() {
    byte[] file = file("x".getBytes(UTF_8));
    assertRefused(form(), 400);
    assertRefused(form(field("a", "b")), 400);
    assertRefused(form(part("name=\"File\"; filename=\"a\"", "", "x")), 400);
    assertRefused(form(part("filename=\"a\"", "", "x")), 400);
    assertRefused(form(file, file), 400);
    assertRefused(form(file, file(new byte[1_000_000])), 400);
    assertRefused(form(part("name=\"file\"; filename=\"\"", "", "")), 400);
    assertRefused(form(field("sha256", SHA_256), file, field("sha256", SHA_256)), 400);
    assertRefused(form(file, field("sha256", "abc")), 400);
    assertRefused(form(field("mediaType", "*/*"), file), 400);
    assertRefused(form(field("mediaType", "a/b"), field("mediaType", "a/b"), file), 400);
    String coding = "Content-Transfer-Encoding: %s\r\n";
    assertRefused(form(part("name=\"file\"", coding.formatted("base64"), "eA==")), 400);
    assertThat(read(form(part("name=\"file\"", coding.formatted("Binary"), "x")))).isEqualTo("x");
  }

  @Test
  void allButTheFileIsBounded() {
    byte[] file = file("x".getBytes(UTF_8));
    assertRefused(
        form(part("name=\"file\"", "X-Long: " + "y".repeat(FormFile.MAX_HEAD) + "\r\n", "")), 400);
    assertRefused(form(part("name=\"" + "y".repeat(FormFile.MAX_HEAD) + "\"", "", ""), file), 400);
    byte[][] many = new byte[FormFile.MAX_PARTS + 1][];
    Arrays.fill(many, field("a", "b"));
    many[FormFile.MAX_PARTS] = file;
    assertRefused(form(many), 400);
    String much = "y".repeat(FormFile.MAX_OTHER);
    for (String name : new String[] {"a", "sha256", "mediaType"}) {
      assertRefused(form(field(name, much), file), 413);
      assertRefused(form(file, field(name, much)), 413);
    }
    assertRefused(form(part("name=\"b\"; filename=\"b\"", "", much), file), 413);
    assertThat(read(form(field("a", "y".repeat(40_000)), file))).isEqualTo("x");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "multipart/form-data; boundary=----Boundary7                         | true",
        "multipart/form-data; boundary=\"----Boundary7\"                     | true",
        "Multipart/Form-Data; charset=utf-8; boundary=----Boundary7          | true",
        "multipart/form-data                                                 | false",
        "multipart/form-data; boundary=                                      | false",
        "multipart/form-data; boundary=\"\"                                  | false",
        "multipart/form-data;"
            + " boundary=1234567890123456789012345678901234567890123456789012345678901234567890x |"
            + " false",
      })
  void theBoundaryIsInTheType(String type, boolean isRight) throws IOException {
    assertThat(FormFile.isForm(type)).isTrue();
    InputStream body = new ByteArrayInputStream(form(file("x".getBytes(UTF_8))));
    if (isRight) {
      assertThat(FormFile.open(type, body).readAllBytes()).isEqualTo("x".getBytes(UTF_8));
    } else {
      assertThatExceptionOfType(ProblemException.class)
          .isThrownBy(() -> FormFile.open(type, body))
          .satisfies(e -> assertThat(e.problem().getStatus()).isEqualTo(400));
    }
  }

  @Test
  void otherTypesAreNoForms() {
    assertThat(FormFile.isForm(null)).isFalse();
    for (String type :
        new String[] {"", "multipart/mixed; boundary=x", "application/x-www-form-urlencoded"}) {
      assertThat(FormFile.isForm(type)).as(type).isFalse();
    }
  }

  /** Whatever is sent is a file or a refusal, and nothing else. */
  @Test
  void anythingElseIsRefused() throws IOException {
    Random random = new Random(48);
    byte[] right =
        form(field("mediaType", "a/b"), file("a\r\n--b".getBytes(UTF_8)), field("sha256", SHA_256));
    String special = "\r\n-:;\"\\= \0\t\u00e4xB7";
    for (int i = 0; i < 50_000; i++) {
      byte[] body = right.clone();
      for (int changes = random.nextInt(4); changes >= 0; changes--) {
        body[random.nextInt(body.length)] = (byte) special.charAt(random.nextInt(special.length()));
      }
      try {
        FormFile file = FormFile.open(TYPE, new Pieces(body, 1 + random.nextInt(body.length)));
        assertThat(file.readAllBytes()).hasSizeLessThan(right.length);
        assertThat(file.describe(REQUEST).id()).isEqualTo(REQUEST.id());
      } catch (ProblemException e) {
        assertThat(e.problem().getStatus()).as(new String(body, ISO_8859_1)).isEqualTo(400);
      }
    }
  }

  private static String described(byte[]... parts) throws IOException {
    FormFile file = FormFile.open(TYPE, new ByteArrayInputStream(form(parts)));
    assertThat(file.readAllBytes()).hasSize(1);
    return file.describe(REQUEST).mediaType();
  }

  private static String read(byte[] body) {
    try {
      FormFile file = FormFile.open(TYPE, new ByteArrayInputStream(body));
      String content = new String(file.readAllBytes(), ISO_8859_1);
      assertThat(file.describe(REQUEST).id()).isEqualTo(REQUEST.id());
      return content;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void assertRefused(byte[] body, int status) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> read(body))
        .satisfies(e -> assertThat(e.problem().getStatus()).isEqualTo(status));
  }

  private static byte[] form(byte[]... parts) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      body.writeBytes(("--" + BOUNDARY + "\r\n").getBytes(UTF_8));
      body.writeBytes(part);
      body.writeBytes("\r\n".getBytes(UTF_8));
    }
    body.writeBytes(("--" + BOUNDARY + "--\r\n").getBytes(UTF_8));
    return body.toByteArray();
  }

  private static byte[] file(byte[] content) {
    ByteArrayOutputStream part = new ByteArrayOutputStream();
    part.writeBytes(part("name=\"file\"; filename=\"fw.bin\"", "", ""));
    part.writeBytes(content);
    return part.toByteArray();
  }

  private static byte[] field(String name, String value) {
    return part("name=\"%s\"".formatted(name), "", value);
  }

  private static byte[] part(String disposition, String head, String content) {
    return "Content-Disposition: form-data; %s\r\n%s\r\n%s"
        .formatted(disposition, head, content)
        .getBytes(UTF_8);
  }

  /** A body that comes in pieces of some length. */
  private static final class Pieces extends FilterInputStream {
    private final int length;
    private int read;
    private boolean isBroken;

    Pieces(byte[] body, int length) {
      super(new ByteArrayInputStream(body));
      this.length = length;
    }

    @Override
    public int read(byte[] target, int offset, int most) throws IOException {
      int some = super.read(target, offset, Math.min(length, most));
      if (some < 0 && isBroken) {
        throw new IOException("reset");
      }
      read += Math.max(0, some);
      return some;
    }
  }
}
