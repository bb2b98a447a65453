package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.program.Programs;
import io.artifactserver.rest.http.HttpDate;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Updates from an older image by differences, disks, and packages. zsync knows no TLS, and apt no
 * HTTP/2; what is made of libcurl speaks HTTP/2 wherever there is TLS.
 */
class RealUpdatersIT extends RealClients {
  private static final int CHANGES = 150;
  private static final int CHANGE_LENGTH = 8_000;
  private static final String APT_METHODS = "/usr/lib/apt/methods/";

  private final byte[] oldImage = older(image);

  @ParameterizedTest
  @EnumSource(names = "HTTP1")
  void zsyncFetchesTheDifference(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("zsync", "zsyncmake");
    Files.write(folder.resolve("source.img"), image);
    Files.write(folder.resolve("old.img"), oldImage);
    client.succeeds("zsyncmake", "-u", "new.img", "-f", "new.img", "-o", "new.zsync", "source.img");
    put("public", "clients/new.img.zsync", bytes("new.zsync"));
    double before = transferredBytes();
    String output =
        client.succeeds(
            "zsync", "-i", "old.img", "-o", "new.img", relay.url(IMAGE_PATH + ".zsync"));
    requireImage("new.img");
    requireDifference("zsync", bytes("new.zsync").length, transferredBytes() - before);
    Matcher fetched = Pattern.compile("fetched (\\d+)").matcher(output);
    assertThat(fetched.find()).as(output).isTrue();
    assertThat(Long.parseLong(fetched.group(1))).isLessThan(LENGTH / 5);
  }

  @ParameterizedTest
  @Transports(value = Transport.HTTP1, nightly = Transport.H2)
  void zckdlFetchesTheDifference(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("zck", "zckdl");
    Files.write(folder.resolve("old.img"), oldImage);
    Files.write(folder.resolve("source.img"), image);
    client.succeeds("zck", "-o", "old.zck", "old.img");
    client.succeeds("zck", "-o", "source.zck", "source.img");
    put("public", "clients/new.zck", bytes("source.zck"));
    double before = transferredBytes();
    client.succeeds(
        "zckdl",
        "--fail-no-ranges",
        "-s",
        "old.zck",
        relay.url("/artifacts/public/clients/new.zck"));
    assertThat(Arrays.equals(bytes("new.zck"), bytes("source.zck"))).isTrue();
    requireDifference("zckdl", 0, transferredBytes() - before);
    assertThat(asked("Range: bytes=[^\r]*(,[^\r,]*){100}")).isPositive();
  }

  @ParameterizedTest
  @Transports(value = Transport.HTTP1, nightly = Transport.H2)
  void casyncFetchesChunks(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("casync");
    byte[] part = Arrays.copyOf(image, 8_000_000);
    Files.write(folder.resolve("part.img"), part);
    client.succeeds("casync", "make", "--store=part.castr", "part.caibx", "part.img");
    try (Stream<Path> files = Files.walk(folder.resolve("part.castr"))) {
      for (Path chunk : files.filter(Files::isRegularFile).toList()) {
        put("public", "casync/" + folder.relativize(chunk), Files.readAllBytes(chunk));
      }
    }
    put("public", "casync/part.caibx", bytes("part.caibx"));
    client.succeeds(
        "casync",
        "extract",
        "--store=" + relay.url("/artifacts/public/casync/part.castr"),
        relay.url("/artifacts/public/casync/part.caibx"),
        "extracted.img");
    assertThat(Arrays.equals(bytes("extracted.img"), part)).isTrue();
    assertThat(asked("GET /artifacts/public/casync/part.castr/")).isGreaterThan(50);
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP1", "H2"})
  void nbdkitServesTheImageAsADisk(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("nbdkit", "nbdcopy");
    client.succeeds(
        "nbdkit",
        "-r",
        "-U",
        "-",
        "curl",
        "url=" + relay.url(IMAGE_PATH),
        "--run",
        "nbdcopy \"$uri\" new.img");
    // A disk has whole sectors: the last one is filled up.
    assertThat(Arrays.equals(Arrays.copyOf(bytes("new.img"), LENGTH), image)).isTrue();
    assertThat(asked("Range: bytes=\\d+-\\d+\r\n")).isGreaterThan(10);
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP1", "TLS13"})
  void aptResumesWhatIsOfTheSameDate(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled(APT_METHODS + "http");
    writePartial("new.img");
    Files.setLastModifiedTime(folder.resolve("new.img"), FileTime.from(lastModified()));
    assertThat(acquire()).contains("Size: " + LENGTH, "SHA256-Hash: " + sha256().hex());
    requireImage("new.img");
    assertThat(asked("If-Range: ")).isEqualTo(1);
    assertThat(relay.answeredBytes()).isLessThan(30_000_000L + overhead());
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP1", "TLS13"})
  void aptStartsOverWhenTheDateIsAnother(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled(APT_METHODS + "http");
    Files.write(folder.resolve("new.img"), new byte[PARTIAL]);
    Files.setLastModifiedTime(
        folder.resolve("new.img"), FileTime.from(lastModified().minusSeconds(1)));
    assertThat(acquire()).contains("Size: " + LENGTH, "SHA256-Hash: " + sha256().hex());
    requireImage("new.img");
    assertThat(relay.answeredBytes()).isGreaterThan(LENGTH);
  }

  /** Talks to apt's download method as apt does. */
  private String acquire() throws IOException {
    Process method =
        client.builder(APT_METHODS + server.uri("").getScheme()).redirectErrorStream(true).start();
    StringBuilder output = new StringBuilder();
    try (OutputStream toMethod = method.getOutputStream();
        BufferedReader fromMethod = method.inputReader(StandardCharsets.UTF_8)) {
      String messages =
          """
          601 Configuration
          Config-Item: APT::Sandbox::User=root
          Config-Item: Acquire::https::CAInfo=%s

          600 URI Acquire
          URI: %s
          Filename: %s

          """
              .formatted(server.authorityFile(), relay.url(IMAGE_PATH), folder.resolve("new.img"));
      toMethod.write(messages.getBytes(StandardCharsets.UTF_8));
      toMethod.flush();
      boolean isLastMessage = false;
      for (String line = fromMethod.readLine();
          line != null && !(isLastMessage && line.isEmpty());
          line = fromMethod.readLine()) {
        isLastMessage |= line.startsWith("201 ") || line.startsWith("40");
        output.append(line).append('\n');
      }
    } finally {
      method.destroy();
    }
    assertThat(output).contains("201 URI Done");
    return output.toString();
  }

  /** The answers had several parts, and came to far less than the image. */
  private void requireDifference(String name, int overhead, double transferred) {
    System.err.printf(
        "RealClientsIT: %s transferred %,.0f bytes (%,d on the wire, %d multipart answers) for an"
            + " image of %,d of which %,d changed%n",
        name,
        transferred,
        relay.answeredBytes(),
        relay.multipartAnswers(),
        LENGTH,
        CHANGES * CHANGE_LENGTH);
    assertThat(relay.isReadable() ? relay.multipartAnswers() : 1).isPositive();
    assertThat(transferred).isGreaterThan(CHANGES * CHANGE_LENGTH / 2.0).isLessThan(LENGTH / 2.0);
    assertThat(relay.answeredBytes()).isLessThan(LENGTH / 2);
    assertThat(transferred).isGreaterThan(overhead);
  }

  private Instant lastModified() throws IOException, InterruptedException {
    // Not a client's.
    transfersBefore++;
    String field =
        operator
            .download(IMAGE_PATH, "Range", "bytes=0-0")
            .headers()
            .firstValue("Last-Modified")
            .orElseThrow();
    return HttpDate.parse(field, Instant.now()).orElseThrow();
  }

  /** The image before an update that changed 3 % of it, all over. */
  private static byte[] older(byte[] image) {
    byte[] older = image.clone();
    Random random = new Random(52);
    for (int i = 0; i < CHANGES; i++) {
      int position = i * (LENGTH / CHANGES) + random.nextInt(LENGTH / CHANGES - CHANGE_LENGTH);
      byte[] change = new byte[CHANGE_LENGTH];
      random.nextBytes(change);
      System.arraycopy(change, 0, older, position, CHANGE_LENGTH);
    }
    return older;
  }

  /** By the server's own count; a transfer is counted a moment after its last byte has arrived. */
  private double transferredBytes() throws IOException, InterruptedException {
    return metric("artifact_server_transfer_bytes_total");
  }
}
