package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.program.Programs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Downloads, whole and resumed, by one connection and by many. curl alone speaks what it is told
 * to: wget, aria2c and axel know no HTTP/2, and take the newest TLS.
 */
class RealClientsIT extends RealClients {
  @ParameterizedTest
  @EnumSource
  void curlResumes(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("curl");
    writePartial("new.img");
    String[] curl = {"curl", "-fsS", "-C", "-", "-o", "new.img", "-w", "%{http_version}"};
    assertThat(client.succeeds(append(curl, relay.url(IMAGE_PATH))))
        .isEqualTo(transport.isHttp2() ? "2" : "1.1");
    requireImage("new.img");
    assertThat(asked("Range: bytes=" + PARTIAL + "-\r\n")).isEqualTo(1);
    assertThat(relay.answeredBytes()).isBetween(30_000_000L, 30_000_000L + overhead());
  }

  /** The 416 with the right length tells it that there is nothing left: no failure. */
  @ParameterizedTest
  @EnumSource
  void curlResumesWhatIsComplete(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("curl");
    Files.write(folder.resolve("new.img"), image);
    String status =
        client.succeeds(
            "curl", "-sS", "-C", "-", "-o", "new.img", "-w", "%{http_code}", relay.url(IMAGE_PATH));
    assertThat(status).isEqualTo("416");
    requireImage("new.img");
  }

  @ParameterizedTest
  @EnumSource
  void curlTakesRanges(Transport transport) throws Exception {
    reach(transport);
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
    assertThat(relay.isReadable() ? relay.multipartAnswers() : 1).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void curlMayOfferToDecompress(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("curl");
    client.succeeds(
        "curl", "-fsS", "--compressed", "-D", "fields", "-o", "new.img", relay.url(IMAGE_PATH));
    requireImage("new.img");
    assertThat(Files.readString(folder.resolve("fields"))).doesNotContain("Content-Encoding");
    assertThat(asked("Accept-Encoding: ")).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void curlAsksWhetherThereIsSomethingNew(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("curl");
    String url = relay.url(IMAGE_PATH);
    String[] download = {"curl", "-fsSR", "--etag-save", "etag", "-o", "new.img", url};
    client.succeeds(download);
    requireImage("new.img");
    long downloaded = relay.answeredBytes();
    String[] statusOnly = {"curl", "-fsS", "-o", "again.img", "-w", "%{http_code}"};
    assertThat(client.succeeds(append(statusOnly, "-z", "new.img", url))).isEqualTo("304");
    assertThat(client.succeeds(append(statusOnly, "--etag-compare", "etag", url))).isEqualTo("304");
    assertThat(relay.answeredBytes() - downloaded).isLessThan(2 * overhead());
    assertThat(client.succeeds(append(statusOnly, "-z", "Mon, 02 Jan 2006 15:04:05 GMT", url)))
        .isEqualTo("200");
    requireImage("again.img");
  }

  @ParameterizedTest
  @EnumSource
  void curlShowsAToken(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("curl");
    String url = relay.url(SECRET_PATH);
    assertThat(client.run("curl", "-fsS", "-o", "new.img", url).exitCode()).isEqualTo(22);
    client.succeeds(
        "curl", "-fsS", "-H", "Authorization: Bearer " + deviceToken, "-o", "bearer.img", url);
    requireImage("bearer.img");
    client.succeeds("curl", "-fsS", "-u", "device:" + deviceToken, "-o", "basic.img", url);
    requireImage("basic.img");
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP1", "TLS13"})
  void wgetResumes(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("wget");
    writePartial("new.img");
    String output = client.succeeds("wget", "-c", "--server-response", relay.url(IMAGE_PATH));
    assertThat(output).contains("HTTP/1.1 206 ", "Content-Range: bytes " + PARTIAL + "-");
    requireImage("new.img");
    assertThat(client.succeeds("wget", "-c", "--server-response", relay.url(IMAGE_PATH)))
        .contains("416 Range Not Satisfiable", "already fully retrieved");
    requireImage("new.img");
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP1", "TLS13"})
  void wgetShowsAToken(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("wget");
    String url = relay.url(SECRET_PATH);
    assertThat(client.run("wget", "-q", url).exitCode()).isNotZero();
    client.succeeds("wget", "-q", "--header=Authorization: Bearer " + deviceToken, url);
    requireImage("new.img");
    client.succeeds(
        "wget", "-q", "-O", "basic.img", "--user=device", "--password=" + deviceToken, url);
    requireImage("basic.img");
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP1", "TLS13"})
  void aria2cTakesSixteenConnections(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("aria2c");
    // Two seconds: otherwise the first connections may be through before the last ones are open.
    client.succeeds(append(aria2c(relay.url(IMAGE_PATH)), "--max-overall-download-limit=20M"));
    requireImage("new.img");
    assertThat(asked("Range: bytes=\\d+-")).isGreaterThanOrEqualTo(15);
    // Together little more than once the image: it takes over work from slow connections.
    assertThat(relay.answeredBytes()).isBetween((long) LENGTH, 2L * LENGTH);
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP1", "TLS13"})
  void aria2cShowsAToken(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("aria2c");
    client.succeeds(
        append(aria2c(relay.url(SECRET_PATH)), "--header=Authorization: Bearer " + deviceToken));
    requireImage("new.img");
  }

  @ParameterizedTest
  @EnumSource(names = "HTTP1")
  void axelTakesEightConnections(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("axel");
    client.succeeds("axel", "-q", "-n", "8", "-o", "new.img", relay.url(IMAGE_PATH));
    requireImage("new.img");
    assertThat(asked("Range: bytes=\\d+-")).isGreaterThanOrEqualTo(8);
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
}
