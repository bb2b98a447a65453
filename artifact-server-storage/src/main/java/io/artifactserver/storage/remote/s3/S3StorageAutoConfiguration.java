package io.artifactserver.storage.remote.s3;

import io.artifactserver.core.blob.BlobChecksums;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.storage.backend.SetupException;
import io.artifactserver.storage.catalog.CatalogAutoConfiguration;
import io.artifactserver.storage.local.folder.DataFolder;
import io.artifactserver.storage.remote.checked.CheckedBackfill;
import io.artifactserver.storage.remote.checked.CheckedBlobStore;
import io.artifactserver.storage.remote.journal.UploadJournals;
import io.artifactserver.storage.remote.window.TransferBudget;
import io.artifactserver.storage.remote.window.WindowAutoConfiguration;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Fallback;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.BucketAlreadyOwnedByYouException;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/** Keeps blobs in a bucket: {@code artifact-server.storage.backend=s3}. */
@AutoConfiguration(after = {WindowAutoConfiguration.class, CatalogAutoConfiguration.class})
@ConditionalOnProperty(name = "artifact-server.storage.backend", havingValue = S3BlobStore.NAME)
@EnableConfigurationProperties(S3Properties.class)
public class S3StorageAutoConfiguration {
  private static final Logger LOGGER = LoggerFactory.getLogger(S3StorageAutoConfiguration.class);

  /** The folder of the data folder with journals of uploads. */
  private static final String JOURNALS = "upload-journals";

  private static final Duration CONNECTION_LIFE = Duration.ofMinutes(5);
  private static final Duration POOL_PATIENCE = Duration.ofSeconds(10);
  private static final Duration PAUSE = Duration.ofMillis(500);

  @Bean
  AwsCredentialsProvider s3Credentials(S3Properties properties) {
    return properties.accessKey().isEmpty()
        // Fetches new ones before they expire, where the source hands out such.
        ? DefaultCredentialsProvider.builder().build()
        : StaticCredentialsProvider.create(
            AwsBasicCredentials.create(properties.accessKey(), properties.secretKey()));
  }

  @Bean
  SdkHttpClient s3HttpClient(S3Properties properties) {
    return Apache5HttpClient.builder()
        .maxConnections(properties.maxConnections())
        .connectionTimeout(properties.connectTimeout())
        .socketTimeout(properties.readTimeout())
        .connectionAcquisitionTimeout(POOL_PATIENCE)
        .connectionTimeToLive(CONNECTION_LIFE)
        .tcpKeepAlive(true)
        .build();
  }

  @Bean
  S3Client s3Client(
      S3Properties properties, AwsCredentialsProvider credentials, SdkHttpClient http) {
    S3ClientBuilder builder =
        S3Client.builder()
            .region(Region.of(properties.region()))
            .credentialsProvider(credentials)
            .forcePathStyle(properties.pathStyle())
            // Parts carry checksums of their own, which need no trailer: not every server knows it.
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            // S3Bucket repeats requests.
            .overrideConfiguration(
                override -> override.retryStrategy(DefaultRetryStrategy.doNotRetry()))
            .httpClient(http);
    endpoint(properties.endpoint()).ifPresent(builder::endpointOverride);
    return builder.build();
  }

  /** Signs addresses for clients that are redirected. */
  @Bean
  S3Presigner s3Presigner(S3Properties properties, AwsCredentialsProvider credentials) {
    S3Presigner.Builder builder =
        S3Presigner.builder()
            .region(Region.of(properties.region()))
            .credentialsProvider(credentials)
            .serviceConfiguration(
                S3Configuration.builder().pathStyleAccessEnabled(properties.pathStyle()).build());
    endpoint(
            properties.publicEndpoint().isEmpty()
                ? properties.endpoint()
                : properties.publicEndpoint())
        .ifPresent(builder::endpointOverride);
    return builder.build();
  }

  /** The store for everybody, where there is a catalog to keep checksums in. */
  @Bean
  @ConditionalOnBean(BlobChecksums.class)
  CheckedBlobStore checkedS3BlobStore(
      S3BlobStore remote, BlobChecksums checksums, DataFolder dataFolder) throws StorageException {
    return new CheckedBlobStore(
        remote, checksums, UploadJournals.in(dataFolder.path().resolve(JOURNALS)));
  }

  @Bean
  @ConditionalOnBean(BlobChecksums.class)
  CheckedBackfill checksumBackfill(
      CheckedBlobStore checked, BlobChecksums checksums, BlobRegister register, BlobStore store) {
    return new CheckedBackfill(checked, checksums, register, store);
  }

  /**
   * Waits for the server, and finds or creates the bucket.
   *
   * @throws SetupException if there is none to be had
   */
  @Bean
  @Fallback
  S3BlobStore s3BlobStore(
      S3Properties properties, S3Client client, S3Presigner presigner, TransferBudget budget) {
    if (properties.bucket().isEmpty()) {
      throw new SetupException(
          "The backend s3 needs a bucket: set artifact-server.storage.s3.bucket.", null);
    }
    String prefix = properties.prefix();
    S3Bucket bucket =
        new S3Bucket(
            client,
            presigner,
            properties.redirectValidity(),
            retryRule(properties),
            properties.bucket(),
            prefix.isEmpty() || prefix.endsWith("/") ? prefix : prefix + '/',
            new Outage(
                System::nanoTime,
                probe -> Thread.ofVirtual().name("s3-probe").start(probe),
                () -> answers(client, properties.bucket())),
            new S3Errors(properties.bucket()));
    await(bucket, properties);
    LOGGER.info(
        "Blobs are kept in bucket {}{}{}",
        properties.bucket(),
        prefix.isEmpty() ? "" : ", prefix " + prefix,
        properties.endpoint().isEmpty() ? " of AWS" : " at " + properties.endpoint());
    return new S3BlobStore(bucket, properties, budget);
  }

  /** Asks once whether the server can be reached, whatever it says. */
  private static boolean answers(S3Client client, String bucket) {
    try {
      client.headBucket(request -> request.bucket(bucket));
      return true;
    } catch (SdkException e) {
      return S3Errors.isAnswer(e);
    }
  }

  /** The failures that the SDK repeats, with its pauses, and IOException: a body that broke off. */
  private static RetryStrategy retryRule(S3Properties properties) {
    return AwsRetryStrategy.standardRetryStrategy().toBuilder()
        .maxAttempts(properties.maxAttempts())
        // Outage bounds the requests to a server that is away; this would refuse single retries.
        .circuitBreakerEnabled(false)
        .build();
  }

  private static void await(S3Bucket bucket, S3Properties properties) {
    long deadline = System.nanoTime() + properties.startTimeout().toNanos();
    boolean isAnnounced = false;
    while (true) {
      try {
        requireBucket(bucket, properties);
        return;
      } catch (SdkException e) {
        if (S3Errors.isAnswer(e) && S3Errors.status(e) < 500) {
          throw new SetupException(
              "Bucket %s cannot be used: %s. Check the credentials, and that they may do what docs/storage.md lists."
                  .formatted(bucket.name(), e.getMessage()),
              e);
        }
        if (System.nanoTime() - deadline >= 0) {
          throw new SetupException(
              "%s did not answer within %d s: %s"
                  .formatted(
                      properties.endpoint().isEmpty() ? "S3" : properties.endpoint(),
                      properties.startTimeout().toSeconds(),
                      e.getMessage()),
              e);
        }
        if (!isAnnounced) {
          LOGGER.info(
              "Waiting up to {} s for S3: {}",
              properties.startTimeout().toSeconds(),
              e.getMessage());
          isAnnounced = true;
        }
      }
      pause();
    }
  }

  private static void requireBucket(S3Bucket bucket, S3Properties properties) {
    try {
      bucket.client().headBucket(request -> request.bucket(bucket.name()));
    } catch (SdkException e) {
      if (!S3Errors.isNotFound(e)) {
        throw e;
      }
      if (!properties.createBucket()) {
        throw new SetupException(
            "There is no bucket \"%s\"%s. Create it, or start once with --%s.create-bucket=true."
                .formatted(
                    bucket.name(),
                    properties.endpoint().isEmpty() ? "" : " at " + properties.endpoint(),
                    S3Properties.PREFIX),
            e);
      }
      try {
        bucket.client().createBucket(request -> request.bucket(bucket.name()));
        LOGGER.info("Created bucket {}", bucket.name());
      } catch (BucketAlreadyOwnedByYouException _) {
        LOGGER.info("Another server has just created bucket {}", bucket.name());
      } catch (IllegalArgumentException unfit) {
        // The SDK knows the rules for names.
        throw new SetupException(
            "%s.bucket cannot be \"%s\": %s."
                .formatted(S3Properties.PREFIX, bucket.name(), unfit.getMessage()),
            unfit);
      }
    }
  }

  private static Optional<URI> endpoint(String address) {
    if (address.isEmpty()) {
      return Optional.empty();
    }
    try {
      URI uri = new URI(address);
      if (uri.getHost() != null
          && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
        return Optional.of(uri);
      }
    } catch (URISyntaxException _) {
      // As for an address of another kind.
    }
    throw new SetupException(
        "\"%s\" is not the address of an S3 server; %s.endpoint is http://host:port or https://host."
            .formatted(address, S3Properties.PREFIX),
        null);
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SetupException("Interrupted while waiting for S3", e);
    }
  }
}
