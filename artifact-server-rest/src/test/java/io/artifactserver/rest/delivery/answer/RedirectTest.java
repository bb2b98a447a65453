package io.artifactserver.rest.delivery.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.ForwardingBlobStore;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.PathPolicy;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.api.progress.RunningDownloads;
import io.artifactserver.rest.delivery.body.WaitingThreads;
import io.artifactserver.rest.delivery.resolve.Served;
import io.artifactserver.rest.front.Exchange;
import io.artifactserver.rest.front.ProblemWriter;
import io.artifactserver.rest.http.ResponsePlanner;
import io.artifactserver.rest.poison.PoisonedPool;
import io.artifactserver.rest.server.guard.Pace;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/**
 * The requests that are sent to the backend, and those answered here, in a repository that
 * redirects.
 */
class RedirectTest {
  private static final byte[] CONTENT = "0123456789".getBytes(StandardCharsets.US_ASCII);
  private static final Digests DIGESTS = digests();
  private static final String TAG = '"' + DIGESTS.sha256().hex() + '"';
  private static final String ADDRESS = "https://s3.example/bucket/object?X-Amz-Signature=abc";

  private final ExecutorService reads = Executors.newVirtualThreadPerTaskExecutor();
  private final BlobStore memory = new InMemoryBlobStore();
  private final Server server = new Server(null, null, new PoisonedPool());
  private final ServerConnector connector = new ServerConnector(server);
  private final HttpClient client = HttpClient.newHttpClient();

  private boolean redirects = true;
  private boolean canSign = true;
  private boolean redirectsWithCredentials;

  @AfterEach
  void stop() throws Exception {
    client.close();
    server.stop();
    reads.close();
  }

  @Test
  void sendsADownloadToTheBackend() throws Exception {
    start();
    for (String[] fields :
        new String[][] {
          {},
          {"Range", "bytes=2-5"},
          {"If-Match", TAG},
          // Perhaps the backend's own, from a download that it began.
          {"Range", "bytes=2-5", "If-Range", "\"other\""}
        }) {
      HttpResponse<String> response = send("GET", fields);
      assertThat(response.statusCode()).isEqualTo(302);
      assertThat(response.headers().firstValue("Location"))
          .contains(ADDRESS + "&type=application/x&disposition=attachment");
      assertThat(response.headers().firstValue("Cache-Control")).contains("no-store");
      assertThat(response.body()).isEmpty();
    }
  }

  @Test
  void answersWhatTheBackendCannot() throws Exception {
    start();
    assertThat(send("HEAD").statusCode()).isEqualTo(200);
    assertThat(send("GET", "If-None-Match", TAG).statusCode()).isEqualTo(304);
    assertThat(send("GET", "If-Match", "\"other\"").statusCode()).isEqualTo(412);
    assertThat(send("GET", "Range", "bytes=10-").statusCode()).isEqualTo(416);
    HttpResponse<String> resumed = send("GET", "Range", "bytes=2-5", "If-Range", TAG);
    assertThat(resumed.statusCode()).isEqualTo(206);
    assertThat(resumed.body()).isEqualTo("2345");
    HttpResponse<String> parts = send("GET", "Range", "bytes=0-1,4-5");
    assertThat(parts.statusCode()).isEqualTo(206);
    assertThat(parts.headers().firstValue("Content-Type").orElseThrow())
        .startsWith("multipart/byteranges");
  }

  /** curl's rules, and RAUC's: the field goes along, and S3 answers 400. */
  @Test
  void sendsCredentialsToTheBackendOnlyWhereTheOperatorSaysSo() throws Exception {
    start();
    assertThat(send("GET", "Authorization", "Bearer x").statusCode()).isEqualTo(200);
  }

  @Test
  void sendsCredentialsToTheBackendIfTheOperatorSaysSo() throws Exception {
    redirectsWithCredentials = true;
    start();
    assertThat(send("GET", "Authorization", "Bearer x").statusCode()).isEqualTo(302);
  }

  @Test
  void servesWhatHasNoAddress() throws Exception {
    canSign = false;
    start();
    HttpResponse<String> response = send("GET", "Range", "bytes=2-5");
    assertThat(response.statusCode()).isEqualTo(206);
    assertThat(response.body()).isEqualTo("2345");
  }

  @Test
  void servesRepositoriesThatDoNotRedirect() throws Exception {
    redirects = false;
    start();
    assertThat(send("GET").body()).isEqualTo("0123456789");
  }

  private HttpResponse<String> send(String method, String... fields) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/fw"))
            .method(method, HttpRequest.BodyPublishers.noBody());
    if (fields.length > 0) {
      request.headers(fields);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private void start() throws Exception {
    BlobRef ref;
    try (BlobUpload upload = memory.begin()) {
      upload.write(ByteBuffer.wrap(CONTENT));
      ref = upload.commit();
    }
    ResponseEmitter emitter =
        new ResponseEmitter(
            BlobStores.of(new SigningStore(memory, canSign)),
            new ProblemWriter(JsonMapper.builder().build()),
            _ -> {},
            new RunningDownloads(),
            _ -> Pace.UNWATCHED,
            new WaitingThreads(reads, reads, reads),
            redirectsWithCredentials);
    Served served =
        Served.of(
            new Artifact(
                new Repository("fleet", true, false, redirects, PathPolicy.DEFAULT, Instant.EPOCH),
                "fw.img",
                ref,
                "application/x",
                DIGESTS,
                Instant.EPOCH));
    server.setHandler(
        new Handler.Abstract.NonBlocking() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            emitter.emit(
                Download.of(
                    new Exchange(request, response, callback),
                    served,
                    ResponsePlanner.plan(
                        request.getMethod(),
                        new JettyRequestFields(request.getHeaders()),
                        served.representation(),
                        Instant.now())));
            return true;
          }
        });
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.start();
  }

  private static Digests digests() {
    DigestAlgorithm sha256 = DigestAlgorithm.SHA_256;
    return new Digests(
        Map.of(sha256, Digest.of(sha256, sha256.newMessageDigest().digest(CONTENT))));
  }

  /** Signs an address that tells what it was signed for. */
  private static final class SigningStore extends ForwardingBlobStore {
    private final boolean canSign;

    SigningStore(BlobStore store, boolean canSign) {
      super(store);
      this.canSign = canSign;
    }

    @Override
    public Blob blob(BlobRef ref) {
      Blob blob = super.blob(ref);
      return new Blob() {
        @Override
        public BlobRef ref() {
          return ref;
        }

        @Override
        public Optional<URI> temporaryAddress(String mediaType, String contentDisposition) {
          String attachment = contentDisposition.replaceFirst(";.*", "");
          return canSign
              ? Optional.of(
                  URI.create(ADDRESS + "&type=" + mediaType + "&disposition=" + attachment))
              : Optional.empty();
        }

        @Override
        public RangeReader open(ByteRange range) throws StorageException {
          return blob.open(range);
        }

        @Override
        public Wait waitToOpen() {
          return Wait.REMOTE;
        }

        @Override
        public Optional<FileRegion> fileRegion(ByteRange range) {
          return Optional.empty();
        }
      };
    }
  }
}
