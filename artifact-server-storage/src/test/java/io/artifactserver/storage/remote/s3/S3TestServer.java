package io.artifactserver.storage.remote.s3;

import io.artifactserver.core.testserver.S3ProxyServer;
import io.artifactserver.storage.remote.window.TransferBudget;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/** A store as the server makes it, with settings of the test's own. */
final class S3TestServer implements AutoCloseable {
  static final int CHUNK_LENGTH = 64 * 1024;
  static final int WINDOW = 4;

  private final S3StorageAutoConfiguration configuration = new S3StorageAutoConfiguration();
  private final TransferBudget budget = new TransferBudget(1 << 28);
  private final S3Properties properties;
  private final SdkHttpClient http;
  private final S3Client client;
  private final S3Presigner presigner;

  /**
   * @param settings by their names behind the prefix; win over the defaults of tests
   */
  S3TestServer(URI endpoint, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>();
    all.put("endpoint", endpoint.toString());
    all.put("bucket", "blobs");
    all.put("create-bucket", "true");
    all.put("access-key", S3ProxyServer.ACCESS_KEY);
    all.put("secret-key", S3ProxyServer.SECRET_KEY);
    all.put("path-style", "true");
    all.put("chunk-size", CHUNK_LENGTH + "B");
    all.put("window", "" + WINDOW);
    all.put("part-size", "5MB");
    // A busy machine may answer after seconds; the test of the time-out has a short one.
    all.put("read-timeout", "2m");
    all.put("start-timeout", "0s");
    all.putAll(settings);
    Map<String, String> named = new HashMap<>();
    all.forEach((name, value) -> named.put(S3Properties.PREFIX + '.' + name, value));
    properties =
        new Binder(new MapConfigurationPropertySource(named))
            .bindOrCreate(S3Properties.PREFIX, S3Properties.class);
    AwsCredentialsProvider credentials = configuration.s3Credentials(properties);
    http = configuration.s3HttpClient(properties);
    client = configuration.s3Client(properties, credentials, http);
    presigner = configuration.s3Presigner(properties, credentials);
  }

  S3BlobStore open() {
    return configuration.s3BlobStore(properties, client, presigner, budget);
  }

  /** For what a store does not do. */
  S3Client client() {
    return client;
  }

  String bucket() {
    return properties.bucket();
  }

  /** Bytes of the budget in use. */
  long budgetUsed() {
    return budget.used();
  }

  @Override
  public void close() {
    client.close();
    http.close();
    presigner.close();
  }
}
