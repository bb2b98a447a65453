package io.artifactserver.rest.endtoend;

import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.core.testserver.S3ProxyServer;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** {@link RealUploadersIT} of a server whose bytes go to a bucket, in parts of 5 MB. */
@Transports(
    value = Transport.HTTP1,
    nightly = {})
@Nightly("RealUploadersIT has the clients, and TusCrashIT the bucket.")
class RealUploadersS3IT extends RealUploadersIT {
  private S3ProxyServer s3;
  private Endpoints endpoints;

  @BeforeAll
  void start(@TempDir Path data) throws Exception {
    s3 = S3ProxyServer.start(data.resolve("s3"));
    endpoints =
        new Endpoints(
            data,
            SharedServer::prepare,
            PackagedServer.CIPHERS_COMPILED_WELL,
            "--artifact-server.storage.backend=s3",
            "--artifact-server.storage.s3.endpoint=" + s3.endpoint(),
            "--artifact-server.storage.s3.region=us-east-1",
            "--artifact-server.storage.s3.bucket=firmware",
            "--artifact-server.storage.s3.access-key=" + S3ProxyServer.ACCESS_KEY,
            "--artifact-server.storage.s3.secret-key=" + S3ProxyServer.SECRET_KEY,
            "--artifact-server.storage.s3.path-style=true",
            "--artifact-server.storage.s3.create-bucket=true",
            "--artifact-server.storage.s3.part-size=5MB");
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
}
