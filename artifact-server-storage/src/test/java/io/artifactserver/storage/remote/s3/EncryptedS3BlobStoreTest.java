package io.artifactserver.storage.remote.s3;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStoreContract;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.core.testserver.S3ProxyServer;
import io.artifactserver.storage.encrypted.EncryptedBlobStore;
import io.artifactserver.storage.encrypted.KeyRing;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract of ciphertext in a bucket. */
class EncryptedS3BlobStoreTest extends BlobStoreContract {
  private static final int SEGMENT_LENGTH = 16 * 1024;

  @TempDir private static Path folder;
  private static S3ProxyServer server;

  private S3TestServer s3;
  private BlobStore store;

  @BeforeAll
  static void startServer() throws Exception {
    server = S3ProxyServer.start(folder);
  }

  @AfterAll
  static void stopServer() throws Exception {
    server.close();
  }

  @BeforeEach
  void openStore() {
    s3 = new S3TestServer(server.endpoint(), Map.of("prefix", BlobRef.newKey()));
    store =
        new EncryptedBlobStore(
            s3.open(), new InMemoryDataKeyStore(), KeyRing.ephemeral(), SEGMENT_LENGTH);
  }

  @AfterEach
  void closeStore() {
    s3.close();
  }

  @Override
  protected BlobStore store() {
    return store;
  }

  @Override
  protected long unit() {
    return SEGMENT_LENGTH;
  }

  @Override
  protected boolean supportsFileRegions() {
    return false;
  }
}
