package io.artifactserver.storage.s3;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStoreContract;
import io.artifactserver.core.testserver.S3ProxyServer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract against a real server of the protocol. */
class S3BlobStoreTest extends BlobStoreContract {
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
    store = s3.open();
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
    return S3TestServer.CHUNK_LENGTH;
  }

  @Override
  protected boolean supportsFileRegions() {
    return false;
  }
}
