package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.program.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * RAUC, QEMU's disks and wget2, as docs/devices.md describes them. All of them speak HTTP/2
 * wherever there is TLS.
 */
class RealInstallersIT extends RealClients {
  private static final int CONTENT_LENGTH = 6_000_000;

  /** RAUC tries everything but a 404 so often if it streams. */
  private static final int STREAMING_TRIES = 6;

  private final byte[] content = Bytes.random(CONTENT_LENGTH, 81);

  @ParameterizedTest
  @EnumSource(names = {"HTTP1", "H2"})
  void raucReadsABundle(Transport transport) throws Exception {
    reach(transport);
    RaucDevice device = new RaucDevice(client, folder);
    byte[] bundle = device.bundle("verity", content);
    put("public", "rauc/read.raucb", bundle);
    boolean isStreaming = device.isStreaming();
    Assumptions.assumeFalse(
        isStreaming && transport.isSecured(),
        "A streaming RAUC reads as another user, who may not see the authority");
    Client.Result info = device.info(relay.url("/artifacts/public/rauc/read.raucb"));
    assertThat(info.exitCode()).as(info.output()).isZero();
    assertThat(info.output()).contains("'board'");
    if (isStreaming) {
      assertThat(asked("Range: bytes=0-3\r\n")).isEqualTo(1);
      // The magic number, the length of the signature, and the signature.
      assertThat(asked("Range: bytes=\\d+-\\d+\r\n")).isEqualTo(3);
      assertThat(relay.answeredBytes()).isLessThan(10_000);
    } else {
      assertThat(asked("GET /artifacts/")).isEqualTo(1);
      assertThat(relay.answeredBytes()).isBetween((long) bundle.length, bundle.length + overhead());
    }
  }

  @ParameterizedTest
  @EnumSource(names = "HTTP1")
  void raucInstallsABundle(Transport transport) throws Exception {
    reach(transport);
    RaucDevice device = new RaucDevice(client, folder);
    byte[] bundle = device.bundle("plain", content);
    put("secret", "rauc/install.raucb", bundle);
    String url = relay.url("/artifacts/secret/rauc/install.raucb");
    device.install(url.replace("://", "://device:" + deviceToken + "@"));
    assertThat(Arrays.equals(device.installed(CONTENT_LENGTH), content)).isTrue();
    assertThat(asked("GET /artifacts/")).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(names = "HTTP1")
  void raucGivesADeletedBundleUp(Transport transport) throws Exception {
    reach(transport);
    RaucDevice device = new RaucDevice(client, folder);
    put("public", "rauc/gone.raucb", device.bundle("verity", content));
    operator.delete("/api/v1/repositories/public/artifacts/rauc/gone.raucb");
    Client.Result info = device.info(relay.url("/artifacts/public/rauc/gone.raucb"));
    assertThat(info.exitCode()).as(info.output()).isNotZero();
    assertThat(asked("GET /artifacts/")).isEqualTo(device.isStreaming() ? STREAMING_TRIES : 1);
  }

  /** One request after the other: in parallel, qemu-img 7.2 waits for ever for what it has. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP1", "H2"})
  void qemuConvertsADisk(Transport transport) throws Exception {
    reach(transport);
    putDisk("disks/convert.qcow2");
    client.succeeds(
        "qemu-img",
        "convert",
        "-m",
        "1",
        "-f",
        "qcow2",
        "-O",
        "raw",
        relay.url("/artifacts/public/disks/convert.qcow2"),
        "converted.img");
    requireDisk("converted.img");
    assertThat(asked("HEAD /artifacts/")).isPositive();
    assertThat(asked("Range: bytes=\\d+-\\d+\r\n")).isGreaterThan(3);
    client.succeeds(
        "qemu-img",
        "convert",
        "-m",
        "1",
        "-f",
        "raw",
        "-O",
        "raw",
        relay.url(IMAGE_PATH),
        "new.img");
    requireImage("new.img");
  }

  @ParameterizedTest
  @EnumSource(names = "HTTP1")
  void qemuChecksAndComparesADisk(Transport transport) throws Exception {
    reach(transport);
    putDisk("disks/check.qcow2");
    String url = relay.url("/artifacts/public/disks/check.qcow2");
    assertThat(client.succeeds("qemu-img", "check", url)).contains("No errors");
    assertThat(client.succeeds("qemu-img", "compare", "-f", "qcow2", "-F", "raw", url, "disk.img"))
        .contains("identical");
  }

  @ParameterizedTest
  @EnumSource(names = "HTTP1")
  void qemuShowsAToken(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("qemu-img");
    String options =
        "driver=raw,file.driver=http,file.url=%s,file.username=device,file.password-secret=token"
            .formatted(relay.url(SECRET_PATH));
    assertThat(
            info("--object", "secret,id=token,data=" + deviceToken, "--image-opts", options)
                .output())
        .contains("(%d bytes)".formatted(LENGTH));
    assertThat(info(relay.url(SECRET_PATH)).exitCode()).isNotZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP1", "H2"})
  void wget2Resumes(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("wget2");
    writePartial("new.img");
    client.succeeds("wget2", "-q", "-c", relay.url(IMAGE_PATH));
    requireImage("new.img");
    assertThat(asked("Range: bytes=" + PARTIAL + "-\r\n")).isEqualTo(1);
    assertThat(relay.answeredBytes()).isBetween(30_000_000L, 30_000_000L + overhead());
    assertThat(client.succeeds("wget2", "-c", relay.url(IMAGE_PATH)))
        .contains("416", "already fully retrieved");
    requireImage("new.img");
  }

  @ParameterizedTest
  @EnumSource(names = "HTTP1")
  void wget2TakesChunks(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("wget2");
    client.succeeds("wget2", "-q", "--chunk-size=4M", relay.url(IMAGE_PATH));
    requireImage("new.img");
    assertThat(asked("Range: bytes=\\d+-\\d+\r\n")).isGreaterThanOrEqualTo(9);
  }

  /** It takes the first scheme of two for the only one, so it shows a password if it is told to. */
  @ParameterizedTest
  @EnumSource(names = "HTTP1")
  void wget2ShowsAToken(Transport transport) throws Exception {
    reach(transport);
    Programs.assumeInstalled("wget2");
    String url = relay.url(SECRET_PATH);
    assertThat(client.run("wget2", "-q", url).exitCode()).isNotZero();
    client.succeeds("wget2", "-q", "--header=Authorization: Bearer " + deviceToken, url);
    requireImage("new.img");
    client.succeeds(
        "wget2",
        "-q",
        "-O",
        "basic.img",
        "--auth-no-challenge",
        "--http-user=device",
        "--http-password=" + deviceToken,
        url);
    requireImage("basic.img");
  }

  /** Uploads a disk in QEMU's format, and keeps its bytes in disk.img. */
  private void putDisk(String path) throws Exception {
    Programs.assumeInstalled("qemu-img");
    Files.write(folder.resolve("disk.img"), content);
    client.succeeds("qemu-img", "convert", "-f", "raw", "-O", "qcow2", "disk.img", "disk.qcow2");
    put("public", path, bytes("disk.qcow2"));
    requireDriver(info(relay.url("/artifacts/public/" + path)));
  }

  /** A disk has whole sectors: the last one is filled up. */
  private void requireDisk(String name) throws IOException {
    assertThat(Arrays.equals(Arrays.copyOf(bytes(name), CONTENT_LENGTH), content)).isTrue();
  }

  private Client.Result info(String... arguments) throws Exception {
    Client.Result info = client.run(append(new String[] {"qemu-img", "info"}, arguments));
    requireDriver(info);
    return info;
  }

  private static void requireDriver(Client.Result result) {
    boolean isThere = !result.output().contains("Unknown protocol");
    String message = "qemu-img has no driver for HTTP (qemu-block-extra): its tests are skipped";
    if (!isThere) {
      System.err.println(message);
    }
    Assumptions.assumeTrue(isThere, message);
  }
}
