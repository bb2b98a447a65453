package io.artifactserver.benchmarks.load;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A certificate for 127.0.0.1 and localhost, made for the run.
 *
 * @param certificate PEM file
 * @param key PEM file (PKCS #8)
 */
record SelfSignedCertificate(Path certificate, Path key) {
  /** Makes one with OpenSSL: ECDSA on P-256, as a fleet has it. */
  static SelfSignedCertificate create(Path folder) {
    Path certificate = folder.resolve("certificate.pem");
    Path key = folder.resolve("key.pem");
    List<String> command =
        List.of(
            Program.find("openssl", "openssl").toString(),
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "30",
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=IP:127.0.0.1,DNS:localhost",
            "-out",
            certificate.toString(),
            "-keyout",
            key.toString());
    String output = Program.output(command);
    if (!Files.exists(key) || !Files.exists(certificate)) {
      throw new UsageException("OpenSSL made no certificate: " + output);
    }
    return new SelfSignedCertificate(certificate, key);
  }
}
