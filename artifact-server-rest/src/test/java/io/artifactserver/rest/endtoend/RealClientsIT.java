package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.program.Programs;
import io.artifactserver.rest.http.HttpDate;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpResponse;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The programs that devices run, as far as they are installed: whole and resumed downloads, many
 * connections, updates from an older image by differences. A test whose program is missing is
 * skipped and says so; .ci/run installs them.
 */
@ExtendWith(SharedServer.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RealClientsIT {
  private static final int LENGTH = 40_000_000;
  private static final int PARTIAL = 10_000_000;
  private static final int CHANGES = 150;
  private static final int CHANGE_LENGTH = 8_000;
  private static final String IMAGE_PATH = "/artifacts/public/clients/new.img";
  private static final String SECRET_PATH = "/artifacts/secret/clients/new.img";
  private static final String APT_HTTP = "/usr/lib/apt/methods/http";

  private final byte[] image = Bytes.random(LENGTH, 51);
  private final byte[] oldImage = older(image);
  private PackagedServer server;
  private Operator operator;
  private String deviceToken;
  private RecordingRelay relay;
  private Path folder;
  private Client client;

  @BeforeAll
  void upload(PackagedServer shared) throws Exception {
    server = shared;
    operator = new Operator(server);
    put("public", "clients/new.img", image);
    put("secret", "clients/new.img", image);
    HttpResponse<String> created =
        operator.json("POST", "/api/v1/tokens", "{\"name\":\"real-clients\"}");
    Matcher token = Pattern.compile("\"token\":\"([^\"]+)\"").matcher(created.body());
    assertThat(token.find()).as(created.body()).isTrue();
    deviceToken = token.group(1);
  }

  @AfterAll
  void disconnect() {
    operator.close();
  }

  @BeforeEach
  void relay(@TempDir Path temporary) throws IOException {
    folder = temporary;
    client = new Client(folder);
    relay = new RecordingRelay(server.port());
  }

  @AfterEach
  void stopRelay() throws IOException {
    relay.close();
  }

  @Test
  void curlResumes() throws Exception {
    Programs.assumeInstalled("curl");
    writePartial("new.img");
    client.succeeds("curl", "-fsS", "-C", "-", "-o", "new.img", relay.url(IMAGE_PATH));
    requireImage("new.img");
    assertThat(relay.requests("Range: bytes=" + PARTIAL + "-\r\n")).isEqualTo(1);
    assertThat(relay.answeredBytes()).isBetween(30_000_000L, 30_001_000L);
  }

  /** The 416 with the right length tells it that there is nothing left: no failure. */
  @Test
  void curlResumesWhatIsComplete() throws Exception {
    Programs.assumeInstalled("curl");
    Files.write(folder.resolve("new.img"), image);
    String status =
        client.succeeds(
            "curl", "-sS", "-C", "-", "-o", "new.img", "-w", "%{http_code}", relay.url(IMAGE_PATH));
    assertThat(status).isEqualTo("416");
    requireImage("new.img");
  }

  @Test
  void curlTakesRanges() throws Exception {
    Programs.assumeInstalled("curl");
    String url = relay.url(IMAGE_PATH);
    client.succeeds("curl", "-fsS", "-r", "100-199", "-o", "one", url);
    client.succeeds("curl", "-fsS", "-r", "-7", "-o", "suffix", url);
    client.succeeds("curl", "-fsS", "-r", "0-99,5000-5099", "-o", "two", url);
    assertThat(bytes("one")).isEqualTo(Arrays.copyOfRange(image, 100, 200));
    assertThat(bytes("suffix")).isEqualTo(Arrays.copyOfRange(image, LENGTH - 7, LENGTH));
    String first = new String(image, 0, 100, StandardCharsets.ISO_8859_1);
    String second = new String(image, 5000, 100, StandardCharsets.ISO_8859_1);
    assertThat(new String(bytes("two"), StandardCharsets.ISO_8859_1))
        .containsSubsequence("bytes 0-99/" + LENGTH, first, "bytes 5000-5099/" + LENGTH, second);
    assertThat(relay.multipartAnswers()).isEqualTo(1);
  }

  @Test
  void curlMayOfferToDecompress() throws Exception {
    Programs.assumeInstalled("curl");
    client.succeeds(
        "curl", "-fsS", "--compressed", "-D", "fields", "-o", "new.img", relay.url(IMAGE_PATH));
    requireImage("new.img");
    assertThat(Files.readString(folder.resolve("fields"))).doesNotContain("Content-Encoding");
    assertThat(relay.requests("Accept-Encoding: ")).isEqualTo(1);
  }

  @Test
  void curlAsksWhetherThereIsSomethingNew() throws Exception {
    Programs.assumeInstalled("curl");
    String url = relay.url(IMAGE_PATH);
    String[] download = {"curl", "-fsSR", "--etag-save", "etag", "-o", "new.img", url};
    client.succeeds(download);
    requireImage("new.img");
    long downloaded = relay.answeredBytes();
    String[] statusOnly = {"curl", "-fsS", "-o", "again.img", "-w", "%{http_code}"};
    assertThat(client.succeeds(append(statusOnly, "-z", "new.img", url))).isEqualTo("304");
    assertThat(client.succeeds(append(statusOnly, "--etag-compare", "etag", url))).isEqualTo("304");
    assertThat(relay.answeredBytes() - downloaded).isLessThan(2_000);
    assertThat(client.succeeds(append(statusOnly, "-z", "Mon, 02 Jan 2006 15:04:05 GMT", url)))
        .isEqualTo("200");
    requireImage("again.img");
  }

  @Test
  void curlShowsAToken() throws Exception {
    Programs.assumeInstalled("curl");
    String url = relay.url(SECRET_PATH);
    assertThat(client.run("curl", "-fsS", "-o", "new.img", url).exitCode()).isEqualTo(22);
    client.succeeds(
        "curl", "-fsS", "-H", "Authorization: Bearer " + deviceToken, "-o", "bearer.img", url);
    requireImage("bearer.img");
    client.succeeds("curl", "-fsS", "-u", "device:" + deviceToken, "-o", "basic.img", url);
    requireImage("basic.img");
  }

  @Test
  void wgetResumes() throws Exception {
    Programs.assumeInstalled("wget");
    writePartial("new.img");
    String output = client.succeeds("wget", "-c", "--server-response", relay.url(IMAGE_PATH));
    assertThat(output).contains("HTTP/1.1 206 ", "Content-Range: bytes " + PARTIAL + "-");
    requireImage("new.img");
    assertThat(client.succeeds("wget", "-c", "--server-response", relay.url(IMAGE_PATH)))
        .contains("416 Range Not Satisfiable", "already fully retrieved");
    requireImage("new.img");
  }

  @Test
  void wgetShowsAToken() throws Exception {
    Programs.assumeInstalled("wget");
    String url = relay.url(SECRET_PATH);
    assertThat(client.run("wget", "-q", url).exitCode()).isNotZero();
    client.succeeds("wget", "-q", "--header=Authorization: Bearer " + deviceToken, url);
    requireImage("new.img");
    client.succeeds(
        "wget", "-q", "-O", "basic.img", "--user=device", "--password=" + deviceToken, url);
    requireImage("basic.img");
  }

  @Test
  void aria2cTakesSixteenConnections() throws Exception {
    Programs.assumeInstalled("aria2c");
    client.succeeds(aria2c(relay.url(IMAGE_PATH)));
    requireImage("new.img");
    assertThat(relay.requests("Range: bytes=\\d+-")).isGreaterThanOrEqualTo(15);
    // Together little more than once the image: it takes over work from slow connections.
    assertThat(relay.answeredBytes()).isBetween((long) LENGTH, 2L * LENGTH);
  }

  @Test
  void aria2cShowsAToken() throws Exception {
    Programs.assumeInstalled("aria2c");
    client.succeeds(
        append(aria2c(relay.url(SECRET_PATH)), "--header=Authorization: Bearer " + deviceToken));
    requireImage("new.img");
  }

  @Test
  void axelTakesEightConnections() throws Exception {
    Programs.assumeInstalled("axel");
    client.succeeds("axel", "-q", "-n", "8", "-o", "new.img", relay.url(IMAGE_PATH));
    requireImage("new.img");
    assertThat(relay.requests("Range: bytes=\\d+-")).isGreaterThanOrEqualTo(8);
  }

  @Test
  void zsyncFetchesTheDifference() throws Exception {
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

  @Test
  void zckdlFetchesTheDifference() throws Exception {
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
    assertThat(relay.requests("Range: bytes=[^\r]*(,[^\r,]*){100}")).isPositive();
  }

  @Test
  void casyncFetchesChunks() throws Exception {
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
    assertThat(relay.requests("GET /artifacts/public/casync/part.castr/")).isGreaterThan(50);
  }

  @Test
  void nbdkitServesTheImageAsADisk() throws Exception {
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
    assertThat(relay.requests("Range: bytes=\\d+-\\d+\r\n")).isGreaterThan(10);
  }

  @Test
  void aptResumesWhatIsOfTheSameDate() throws Exception {
    Programs.assumeInstalled(APT_HTTP);
    writePartial("new.img");
    Files.setLastModifiedTime(folder.resolve("new.img"), FileTime.from(lastModified()));
    assertThat(acquire()).contains("Size: " + LENGTH, "SHA256-Hash: " + sha256().hex());
    requireImage("new.img");
    assertThat(relay.requests("If-Range: ")).isEqualTo(1);
    assertThat(relay.answeredBytes()).isLessThan(30_001_000L);
  }

  @Test
  void aptStartsOverWhenTheDateIsAnother() throws Exception {
    Programs.assumeInstalled(APT_HTTP);
    Files.write(folder.resolve("new.img"), new byte[PARTIAL]);
    Files.setLastModifiedTime(
        folder.resolve("new.img"), FileTime.from(lastModified().minusSeconds(1)));
    assertThat(acquire()).contains("Size: " + LENGTH, "SHA256-Hash: " + sha256().hex());
    requireImage("new.img");
    assertThat(relay.answeredBytes()).isGreaterThan(LENGTH);
  }

  /** Talks to apt's download method as apt does. */
  private String acquire() throws IOException {
    Process method = client.builder(APT_HTTP).redirectErrorStream(true).start();
    StringBuilder output = new StringBuilder();
    try (OutputStream toMethod = method.getOutputStream();
        BufferedReader fromMethod = method.inputReader(StandardCharsets.UTF_8)) {
      String messages =
          """
          601 Configuration
          Config-Item: APT::Sandbox::User=root

          600 URI Acquire
          URI: %s
          Filename: %s

          """
              .formatted(relay.url(IMAGE_PATH), folder.resolve("new.img"));
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

  private String[] aria2c(String url) {
    return new String[] {
      "aria2c",
      "--no-conf",
      "-q",
      "-x16",
      "-s16",
      "-k1M",
      "--checksum=sha-256=" + sha256().hex(),
      "-o",
      "new.img",
      url
    };
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
    assertThat(relay.multipartAnswers()).isPositive();
    assertThat(transferred).isGreaterThan(CHANGES * CHANGE_LENGTH / 2.0).isLessThan(LENGTH / 2.0);
    assertThat(relay.answeredBytes()).isLessThan(LENGTH / 2);
    assertThat(transferred).isGreaterThan(overhead);
  }

  /** By the server's own count; a transfer is counted a moment after its last byte has arrived. */
  private double transferredBytes() throws IOException, InterruptedException {
    double last = -1;
    double sum = 0;
    while (sum != last) {
      Thread.sleep(300);
      last = sum;
      sum =
          operator
              .get("/actuator/prometheus")
              .body()
              .lines()
              .filter(line -> line.startsWith("artifact_server_transfer_bytes_total{"))
              .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
              .sum();
    }
    return sum;
  }

  private Instant lastModified() throws IOException, InterruptedException {
    String field =
        operator
            .download(IMAGE_PATH, "Range", "bytes=0-0")
            .headers()
            .firstValue("Last-Modified")
            .orElseThrow();
    return HttpDate.parse(field, Instant.now()).orElseThrow();
  }

  private Digest sha256() {
    DigestAlgorithm algorithm = DigestAlgorithm.SHA_256;
    return Digest.of(algorithm, algorithm.newMessageDigest().digest(image));
  }

  private void put(String repository, String path, byte[] content) throws Exception {
    HttpResponse<String> answer = operator.put(repository, path, content);
    assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201);
  }

  private void writePartial(String name) throws IOException {
    Files.write(folder.resolve(name), Arrays.copyOf(image, PARTIAL));
  }

  private byte[] bytes(String name) throws IOException {
    return Files.readAllBytes(folder.resolve(name));
  }

  private void requireImage(String name) throws IOException {
    try (InputStream file = Files.newInputStream(folder.resolve(name))) {
      assertThat(Arrays.equals(file.readAllBytes(), image)).as(name).isTrue();
    }
  }

  private static String[] append(String[] command, String... more) {
    return Stream.concat(Arrays.stream(command), Arrays.stream(more)).toArray(String[]::new);
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
}
