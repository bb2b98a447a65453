package io.artifactserver.rest.endtoend;

import io.artifactserver.core.testserver.S3ProxyServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** {@link RangeSets} of a bucket, plain and encrypted, and nothing in between. */
@Transports(
    value = Transport.TLS13,
    nightly = {Transport.HTTP1, Transport.H2C, Transport.TLS12, Transport.H2})
class RangeSetS3IT extends RangeSets {
  private S3ProxyServer s3;
  private Endpoints endpoints;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    s3 = S3ProxyServer.start(folder.resolve("s3"));
    endpoints = new Endpoints(folder, RangeSetS3IT::prepare, this::arguments);
  }

  @AfterAll
  void stop() throws IOException {
    endpoints.close();
    s3.close();
  }

  @Override
  Endpoints endpoints(Endpoints shared) {
    return endpoints;
  }

  /** A bucket is slower than a disk. */
  @Override
  int sets() {
    return 6;
  }

  /** Says what is between the server and the bucket. */
  List<String> cache() {
    return List.of("--artifact-server.encryption.decrypted-cache-size=0");
  }

  private List<String> arguments(Transport transport) {
    List<String> arguments = new ArrayList<>(cache());
    arguments.addAll(
        List.of(
            "--artifact-server.storage.backend=s3",
            "--artifact-server.storage.s3.endpoint=" + s3.endpoint(),
            "--artifact-server.storage.s3.region=us-east-1",
            "--artifact-server.storage.s3.bucket=" + transport.name().toLowerCase(Locale.ROOT),
            "--artifact-server.storage.s3.access-key=" + S3ProxyServer.ACCESS_KEY,
            "--artifact-server.storage.s3.secret-key=" + S3ProxyServer.SECRET_KEY,
            "--artifact-server.storage.s3.path-style=true",
            "--artifact-server.storage.s3.create-bucket=true"));
    return arguments;
  }

  private static void prepare(Endpoint endpoint) throws Exception {
    try (Operator operator = endpoint.operator()) {
      operator.createRepository("public", true);
      operator.createEncryptedRepository("encrypted");
    }
  }
}
