package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.program.Programs;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/**
 * A device that RAUC updates, and the bundles for it. Its two slots are files, and it boots from
 * the first. Used by one thread.
 */
final class RaucDevice {
  /**
   * RAUC's service on a bus of its own. The mounts are in a namespace of their own and go with it.
   */
  private static final String INSTALL =
      """
      export DBUS_STARTER_BUS_TYPE=session
      rauc --conf=system.conf service --override-boot-slot=A >service.log 2>&1 &
      service=$!
      until rauc --conf=system.conf status >status.log 2>&1 || ! kill -0 $service; do
        sleep 0.1
      done
      rauc --conf=system.conf install "$0"
      result=$?
      kill $service
      wait
      exit $result
      """;

  private final Client client;
  private final Path folder;

  /** Skips the test where RAUC, or a program that it runs, is missing. */
  RaucDevice(Client client, Path folder) throws IOException, InterruptedException {
    Programs.assumeInstalled("rauc", "mksquashfs", "openssl");
    this.client = client;
    this.folder = folder;
    Files.createDirectories(folder.resolve("mounts"));
    for (String slot : new String[] {"slot-a", "slot-b"}) {
      Files.createFile(folder.resolve(slot));
    }
    Files.writeString(
        folder.resolve("system.conf"),
        """
        [system]
        compatible=board
        bootloader=noop
        mountprefix=%1$s/mounts
        statusfile=%1$s/status
        [keyring]
        path=%1$s/cert.pem
        [slot.rootfs.0]
        device=%1$s/slot-a
        type=raw
        bootname=A
        [slot.rootfs.1]
        device=%1$s/slot-b
        type=raw
        bootname=B
        """
            .formatted(folder));
    client.succeeds(
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
        "30",
        "-subj",
        "/CN=artifact-server test");
  }

  /** Makes a signed bundle that installs the image; the format is RAUC's name of it. */
  byte[] bundle(String format, byte[] image) throws IOException, InterruptedException {
    Path content = Files.createDirectories(folder.resolve("content"));
    Files.write(content.resolve("rootfs.img"), image);
    Files.writeString(
        content.resolve("manifest.raucm"),
        """
        [update]
        compatible=board
        version=1.0
        [bundle]
        format=%s
        [image.rootfs]
        filename=rootfs.img
        """
            .formatted(format));
    client.succeeds("rauc", "bundle", "--cert=cert.pem", "--key=key.pem", "content", "whole.raucb");
    return Files.readAllBytes(folder.resolve("whole.raucb"));
  }

  /** Makes a bundle that has the index of the image in place of the image, for casync. */
  byte[] indexedBundle(byte[] image) throws IOException, InterruptedException {
    Programs.assumeInstalled("casync", "unsquashfs");
    bundle("plain", image);
    client.succeeds(
        "rauc",
        "convert",
        "--cert=cert.pem",
        "--key=key.pem",
        "--keyring=cert.pem",
        "whole.raucb",
        "indexed.raucb");
    return Files.readAllBytes(folder.resolve("indexed.raucb"));
  }

  /** Whether this build reads bundles by ranges; Debian's 1.8 downloads them. */
  boolean isStreaming() throws IOException, InterruptedException {
    return client.run("rauc", "info", "--help").output().contains("--tls-ca");
  }

  /** Verifies a bundle; returns what RAUC printed. */
  Client.Result info(String url) throws IOException, InterruptedException {
    return client.run("rauc", "info", "--keyring=cert.pem", url);
  }

  /**
   * Installs a bundle into the second slot. Skips the test where nothing may be mounted, or where
   * RAUC would need a network block device for it.
   */
  void install(String url) throws IOException, InterruptedException {
    Programs.assumeInstalled("dbus-run-session", "unshare");
    String mount = "mount -t squashfs -o loop,ro whole.raucb mounts && umount mounts";
    assume(
        client.run("unshare", "-m", "sh", "-c", mount).exitCode() == 0,
        "No loop devices for RAUC: no bundle is installed");
    assume(!isStreaming(), "RAUC streams, and needs a network block device: nothing is installed");
    Client.Result result =
        client.run(
            "unshare",
            "-m",
            "env",
            "TMPDIR=" + folder,
            "dbus-run-session",
            "--",
            "sh",
            "-c",
            INSTALL,
            url);
    assertThat(result.exitCode())
        .as("%s%n%s", result.output(), Files.readString(folder.resolve("service.log")))
        .isZero();
  }

  /** The first bytes of the slot that was updated. */
  byte[] installed(int length) throws IOException {
    try (InputStream slot = Files.newInputStream(folder.resolve("slot-b"))) {
      return slot.readNBytes(length);
    }
  }

  private static void assume(boolean isPossible, String message) {
    if (!isPossible) {
      System.err.println(message);
    }
    Assumptions.assumeTrue(isPossible, message);
  }
}
