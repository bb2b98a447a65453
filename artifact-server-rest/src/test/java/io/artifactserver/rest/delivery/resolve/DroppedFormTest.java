package io.artifactserver.rest.delivery.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.ForwardingBlobStore;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.core.derive.ArtifactDerivation;
import io.artifactserver.core.derive.ChunkIndex;
import io.artifactserver.core.derive.ChunkPack;
import io.artifactserver.core.derive.ComplementForm;
import io.artifactserver.core.derive.DerivationRules;
import io.artifactserver.core.derive.Derived;
import io.artifactserver.core.derive.InMemoryDerivedRegister;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.api.progress.RunningDownloads;
import io.artifactserver.rest.delivery.address.DerivedName;
import io.artifactserver.rest.delivery.address.DerivedNameTest;
import io.artifactserver.rest.delivery.answer.Download;
import io.artifactserver.rest.delivery.answer.JettyRequestFields;
import io.artifactserver.rest.delivery.answer.ResponseEmitter;
import io.artifactserver.rest.delivery.body.WaitingThreads;
import io.artifactserver.rest.front.Exchange;
import io.artifactserver.rest.front.ProblemWriter;
import io.artifactserver.rest.http.ResponsePlanner;
import io.artifactserver.rest.poison.PoisonedPool;
import io.artifactserver.rest.problem.Problems;
import io.artifactserver.rest.server.guard.Pace;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** A form that is dropped when it has been looked up, and before it is opened. */
class DroppedFormTest {
  private static final ArtifactId ID = new ArtifactId("fleet", "fw.img");
  private static final ArtifactId ADDRESS = new ArtifactId("fleet", "fw.img.complement");
  private static final byte[] CONTENT = "0123456789".getBytes(StandardCharsets.US_ASCII);
  private static final Digest SHA_256 =
      Digest.of(
          DigestAlgorithm.SHA_256, DigestAlgorithm.SHA_256.newMessageDigest().digest(CONTENT));

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch opening = new CountDownLatch(1);
  private final CountDownLatch isDropped = new CountDownLatch(1);
  private final InMemoryBlobStore memory = new InMemoryBlobStore();
  private final BlobStores stores = BlobStores.of(new SlowlyOpening());
  private final InMemoryArtifactCatalog catalog = new InMemoryArtifactCatalog();
  private final InMemoryDerivedRegister register = new InMemoryDerivedRegister(catalog, "fleet");
  private final DerivationRules rules =
      new DerivationRules(List.of(new ComplementForm("complement")), 1, 1000, register);
  private final ArtifactDerivation derivation =
      new ArtifactDerivation(rules, register, catalog, BlobStores.of(memory), 1, Instant::now);
  private final DerivedAnswers answers = new DerivedAnswers(rules, catalog, register, stores);
  private final ProblemWriter problems = new ProblemWriter(JsonMapper.builder().build());
  private final ResponseEmitter emitter =
      new ResponseEmitter(
          stores,
          problems,
          _ -> {},
          new RunningDownloads(),
          _ -> Pace.UNWATCHED,
          new WaitingThreads(threads, threads, threads),
          false);
  private final Server server = new Server(null, null, new PoisonedPool());
  private final ServerConnector connector = new ServerConnector(server);
  private final HttpClient client = HttpClient.newHttpClient();

  private Artifact artifact;

  @BeforeEach
  void upload() throws Exception {
    catalog.createRepository("fleet", true, false);
    Digests digests = new Digests(Map.of(DigestAlgorithm.SHA_256, SHA_256));
    catalog.add(ID, "text/plain", store(CONTENT), digests);
    artifact = catalog.find(ID).orElseThrow();
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    server.stop();
    threads.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void isNotThereAndCanBeAskedForAgain(boolean isDeleted) throws Exception {
    derivation.run();
    serve(this::lookUp);
    CompletableFuture<HttpResponse<String>> waiting =
        client.sendAsync(request(), BodyHandlers.ofString());
    opening.await();
    if (isDeleted) {
      catalog.remove(ID);
    }
    derivation.rebuild(artifact.blob());
    isDropped.countDown();
    HttpResponse<String> answer = waiting.join();
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.headers().firstValue("Retry-After")).contains("5");
    assertThat(answer.body()).contains("Dropped meanwhile");
    derivation.run();
    HttpResponse<byte[]> again = client.send(request(), BodyHandlers.ofByteArray());
    if (isDeleted) {
      assertThat(again.statusCode()).isEqualTo(404);
      assertThat(again.headers().firstValue("Retry-After")).isEmpty();
    } else {
      assertThat(again.statusCode()).isEqualTo(200);
      assertThat(again.body()).hasSize(CONTENT.length + 1).startsWith(~'0', ~'1', ~'2');
    }
  }

  @Test
  void compressedChunksAreOfAForm() throws Exception {
    isDropped.countDown();
    BlobRef pack = store(new byte[5]);
    memory.delete(pack);
    serve(exchange ->
        emit(
            exchange,
            ServedForms.chunk(
                artifact,
                chunk(false),
                ChunkIndex.of(new long[] {CONTENT.length}, new byte[32]).chunk(0),
                Optional.of(
                    new DerivedFolder.Pack(
                        new Derived.Stored("castr", pack, SHA_256, Instant.EPOCH),
                        ChunkPack.of(new int[] {5}))))));
    assertThat(client.send(request(), BodyHandlers.ofString()).statusCode()).isEqualTo(404);
  }

  /** It stays as long as an artifact has it, and longer. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theArtifactsOwnBytesAreMissing(boolean isChunk) throws Exception {
    isDropped.countDown();
    memory.delete(artifact.blob());
    Served served =
        isChunk
            ? ServedForms.chunk(
                artifact,
                chunk(true),
                ChunkIndex.of(new long[] {CONTENT.length}, new byte[32]).chunk(0),
                Optional.empty())
            : Served.of(artifact);
    serve(exchange -> emit(exchange, served));
    HttpResponse<String> answer = client.send(request(), BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    assertThat(answer.body()).contains("Artifact missing");
  }

  private void lookUp(Exchange exchange) {
    switch (answers.find(ADDRESS, _ -> true, Reach.DATABASE).orElse(null)) {
      case Resolution.Found(Served served) -> emit(exchange, served);
      case Resolution.NotReady _ ->
          problems.write(exchange, Problems.notReady(), ProblemWriter.RETRY);
      case null, default -> problems.write(exchange, Problems.notFound(), HttpFields.EMPTY);
    }
  }

  private void emit(Exchange exchange, Served served) {
    emitter.emit(
        Download.of(
            exchange,
            served,
            ResponsePlanner.plan(
                exchange.request().getMethod(),
                new JettyRequestFields(exchange.request().getHeaders()),
                served.representation(),
                Instant.now())));
  }

  private void serve(Consumer<Exchange> answering) throws Exception {
    server.setHandler(
        new Handler.Abstract.NonBlocking() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            answering.accept(new Exchange(request, response, callback));
            return true;
          }
        });
    server.start();
  }

  private HttpRequest request() {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/"))
        .build();
  }

  private BlobRef store(byte[] bytes) throws StorageException {
    try (BlobUpload upload = memory.begin()) {
      upload.write(ByteBuffer.wrap(bytes));
      return upload.commit();
    }
  }

  private static DerivedName.OfChunk chunk(boolean isPlain) {
    return new DerivedName.OfChunk(
        new DerivedName.Folder("fleet", ""),
        new DerivedNameTest.Chunked(),
        "default",
        "00".repeat(32),
        isPlain);
  }

  /** Opens nothing before something is dropped. */
  private final class SlowlyOpening extends ForwardingBlobStore {
    SlowlyOpening() {
      super(memory);
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
        public RangeReader open(ByteRange range) throws StorageException {
          return blob.open(range);
        }

        @Override
        public Wait waitToOpen() {
          return Wait.REMOTE;
        }

        @Override
        public Optional<FileRegion> fileRegion(ByteRange range) throws StorageException {
          opening.countDown();
          try {
            isDropped.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return blob.fileRegion(range);
        }
      };
    }
  }
}
