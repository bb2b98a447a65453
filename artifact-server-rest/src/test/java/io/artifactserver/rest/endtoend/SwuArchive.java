package io.artifactserver.rest.endtoend;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * An update for SWUpdate: a description that is signed with CMS, and one file. The archive is cpio
 * with checksums.
 */
final class SwuArchive {
  private static final String DESCRIPTION = "sw-description";

  /** cpio's fields and names begin at multiples of it, in bytes. */
  private static final int ALIGNMENT = 4;

  private SwuArchive() {}

  /**
   * Makes an update that installs the content.
   *
   * @param client runs openssl in the folder in which the certificate is left, as {@code cert.pem}
   */
  static byte[] signed(Client client, Path folder, byte[] content, String sha256, Path target)
      throws IOException, InterruptedException {
    Files.writeString(
        folder.resolve(DESCRIPTION),
        """
        software =
        {
          version = "1";
          hardware-compatibility: [ "1.0" ];
          files: ( { filename = "fw.img"; path = "%s"; sha256 = "%s"; } );
        }
        """
            .formatted(target, sha256));
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
        "/CN=artifact-server test",
        "-addext",
        "extendedKeyUsage=emailProtection");
    client.succeeds(
        "openssl",
        "cms",
        "-sign",
        "-in",
        DESCRIPTION,
        "-out",
        DESCRIPTION + ".sig",
        "-signer",
        "cert.pem",
        "-inkey",
        "key.pem",
        "-outform",
        "DER",
        "-nosmimecap",
        "-binary");
    ByteArrayOutputStream archive = new ByteArrayOutputStream();
    for (String name : new String[] {DESCRIPTION, DESCRIPTION + ".sig"}) {
      add(archive, name, Files.readAllBytes(folder.resolve(name)));
    }
    add(archive, "fw.img", content);
    add(archive, "TRAILER!!!", new byte[0]);
    return archive.toByteArray();
  }

  private static void add(ByteArrayOutputStream archive, String name, byte[] content)
      throws IOException {
    long sum = 0;
    for (byte b : content) {
      sum += b & 0xff;
    }
    StringBuilder head = new StringBuilder("070702");
    long[] fields = {
      1, 0100644, 0, 0, 1, 0, content.length, 0, 0, 0, 0, name.length() + 1, sum & 0xffff_ffffL
    };
    for (long field : fields) {
      head.append("%08X".formatted(field));
    }
    archive.write((head + name + '\0').getBytes(StandardCharsets.US_ASCII));
    pad(archive);
    archive.write(content);
    pad(archive);
  }

  private static void pad(ByteArrayOutputStream archive) {
    while (archive.size() % ALIGNMENT != 0) {
      archive.write(0);
    }
  }
}
