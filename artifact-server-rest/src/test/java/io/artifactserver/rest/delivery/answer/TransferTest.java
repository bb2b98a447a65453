package io.artifactserver.rest.delivery.answer;

import static io.artifactserver.core.waiting.Eventually.eventually;
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
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.PathPolicy;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.api.progress.RunningDownloads;
import io.artifactserver.rest.delivery.body.ColdRegion;
import io.artifactserver.rest.delivery.body.ReadThreads;
import io.artifactserver.rest.delivery.body.TransferOutcome;
import io.artifactserver.rest.delivery.body.UnmappedBlobStore;
import io.artifactserver.rest.delivery.body.UnmappedBlobStore.Fault;
import io.artifactserver.rest.delivery.body.WaitingThreads;
import io.artifactserver.rest.delivery.resolve.Served;
import io.artifactserver.rest.front.Exchange;
import io.artifactserver.rest.front.ProblemWriter;
import io.artifactserver.rest.http.ResponsePlan;
import io.artifactserver.rest.poison.PoisonedPool;
import io.artifactserver.rest.server.guard.Pace;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.json.JsonMapper;

/** Bodies through the emitter and Jetty to a socket. */
class TransferTest {
  private static final int LENGTH = 9_000_001;
  private static final byte[] CONTENT = new byte[LENGTH];

  static {
    new Random(9).nextBytes(CONTENT);
  }

  private final ExecutorService coldPages =
      Executors.newFixedThreadPool(2, Thread.ofPlatform().name("cold-", 0).factory());
  private final ExecutorService openings =
      Executors.newFixedThreadPool(1, Thread.ofPlatform().name("open-", 0).factory());
  private final ReadThreads reads = new ReadThreads();
  private final BlockingQueue<TransferOutcome> outcomes = new LinkedBlockingQueue<>();
  private final BlobStore memory = new InMemoryBlobStore();
  private final Server server = new Server(null, null, new PoisonedPool());
  private final ServerConnector connector = new ServerConnector(server);

  @AfterEach
  void stop() throws Exception {
    server.stop();
    openings.close();
    coldPages.close();
    reads.close();
  }

  @Test
  void coldPagesAreLoadedOnTheirOwnThreadsOnly() throws Exception {
    ColdRegion region = new ColdRegion(CONTENT);
    BlobRef ref = storeContent();
    start(new ColdBlobStore(memory, region), ref, new ResponsePlan.Whole());
    assertThat(download()).isEqualTo(CONTENT);
    assertThat(outcome())
        .extracting(TransferOutcome::kind, TransferOutcome::ending, TransferOutcome::bytes)
        .containsExactly(
            TransferOutcome.Kind.MAPPED, TransferOutcome.Ending.COMPLETE, (long) LENGTH);
    assertThat(region.loads()).hasSize(9).allMatch(load -> load.thread().startsWith("cold-"));
    assertThat(region.closes()).isEqualTo(1);
  }

  @Test
  void blobIsRead() throws Exception {
    UnmappedBlobStore store = new UnmappedBlobStore(memory, Fault.NONE, 0, 100_000);
    ByteRange range = new ByteRange(5, LENGTH - 10);
    start(store, storeContent(), new ResponsePlan.Single(range));
    assertThat(download()).isEqualTo(Arrays.copyOfRange(CONTENT, 5, LENGTH - 5));
    assertThat(outcome())
        .extracting(TransferOutcome::kind, TransferOutcome::ending, TransferOutcome::bytes)
        .containsExactly(
            TransferOutcome.Kind.READ, TransferOutcome.Ending.COMPLETE, range.length());
    assertThat(store.closed()).isEqualTo(1);
  }

  /** Fifty of them on virtual threads would occupy every carrier, and stop warm ones too. */
  @Test
  void coldBlobIsOpenedAndReadOnPlatformThreadsOnly() throws Exception {
    UnmappedBlobStore store = new UnmappedBlobStore(memory, Fault.NONE, 0, 100_000);
    store.coolDown();
    start(store, storeContent(), new ResponsePlan.Whole());
    assertThat(download()).isEqualTo(CONTENT);
    assertThat(outcome().ending()).isEqualTo(TransferOutcome.Ending.COMPLETE);
    assertThat(store.openingThreads()).isNotEmpty().allMatch(thread -> thread.startsWith("open-"));
    assertThat(store.readingThreads()).isNotEmpty().allMatch(thread -> thread.startsWith("cold-"));
  }

  /** A hop to another thread costs more than decrypting a small range. */
  @Test
  void whatIsInMemoryIsOpenedAndReadWhereTheRequestCame() throws Exception {
    UnmappedBlobStore store = new UnmappedBlobStore(memory, Fault.NONE, 0, 100_000);
    store.warmUp();
    start(store, storeContent(), new ResponsePlan.Single(new ByteRange(5, 100_000)));
    assertThat(download()).isEqualTo(Arrays.copyOfRange(CONTENT, 5, 100_005));
    assertThat(outcome().ending()).isEqualTo(TransferOutcome.Ending.COMPLETE);
    assertThat(store.openingThreads()).isNotEmpty().allMatch(thread -> thread.startsWith("qtp"));
    assertThat(store.readingThreads()).isNotEmpty().allMatch(thread -> thread.startsWith("qtp"));
  }

  /** Each hop to another thread costs more than the copy of a piece. */
  @Test
  void whatMayBlockIsReadByOneVirtualThreadWhileTheClientKeepsUp() throws Exception {
    UnmappedBlobStore store = new UnmappedBlobStore(memory, Fault.NONE, 0, 100_000);
    start(store, storeContent(), new ResponsePlan.Single(new ByteRange(5, 200_000)));
    assertThat(download()).isEqualTo(Arrays.copyOfRange(CONTENT, 5, 200_005));
    assertThat(outcome().ending()).isEqualTo(TransferOutcome.Ending.COMPLETE);
    assertThat(Set.copyOf(store.readingThreads())).containsExactly("read-platform");
  }

  /** A short body must never look whole: Content-Length is not reached, and the connection cut. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void readerThatFailsInMidBodyCutsTheConnection(Fault fault) throws Exception {
    UnmappedBlobStore store = new UnmappedBlobStore(memory, fault, 5_000_000, 100_000);
    start(store, storeContent(), new ResponsePlan.Whole());
    byte[] received = download();
    assertThat(received.length).isLessThanOrEqualTo(5_000_000);
    assertThat(received).isEqualTo(Arrays.copyOf(CONTENT, received.length));
    TransferOutcome outcome = outcome();
    assertThat(outcome.ending()).isEqualTo(TransferOutcome.Ending.FAILED);
    assertThat(outcome.bytes()).isLessThanOrEqualTo(5_000_000);
    assertThat(store.closed()).isEqualTo(1);
    assertThat(outcomes).isEmpty();
  }

  @Test
  void readerThatFailsBeforeTheFirstByteIsAnAnswer() throws Exception {
    UnmappedBlobStore store = new UnmappedBlobStore(memory, Fault.THROWS, 0, 100_000);
    start(store, storeContent(), new ResponsePlan.Whole());
    assertThat(new String(download(), StandardCharsets.UTF_8)).contains("\"status\":5");
    eventually("the reader is closed", () -> store.closed() == 1);
    assertThat(outcomes).isEmpty();
  }

  @Test
  void clientThatGoesAwayIsAnAbortAndGivesTheRegionBack() throws Exception {
    ColdRegion region = new ColdRegion(CONTENT);
    start(new ColdBlobStore(memory, region), storeContent(), new ResponsePlan.Whole());
    try (Socket socket = connect()) {
      assertThat(socket.getInputStream().readNBytes(100_000)).hasSize(100_000);
      socket.setSoLinger(true, 0);
    }
    assertThat(outcome().ending()).isEqualTo(TransferOutcome.Ending.ABORTED);
    assertThat(region.closes()).isEqualTo(1);
  }

  private TransferOutcome outcome() throws InterruptedException {
    TransferOutcome outcome = outcomes.poll(60, TimeUnit.SECONDS);
    if (outcome == null) {
      throw new AssertionError("The transfer did not end");
    }
    return outcome;
  }

  private BlobRef storeContent() throws IOException {
    try (BlobUpload upload = memory.begin()) {
      upload.write(ByteBuffer.wrap(CONTENT));
      return upload.commit();
    }
  }

  private void start(BlobStore store, BlobRef ref, ResponsePlan plan) throws Exception {
    ResponseEmitter emitter =
        new ResponseEmitter(
            BlobStores.of(store),
            new ProblemWriter(JsonMapper.builder().build()),
            outcomes::add,
            new RunningDownloads(),
            _ -> Pace.UNWATCHED,
            new WaitingThreads(openings, coldPages, reads),
            false);
    DigestAlgorithm sha256 = DigestAlgorithm.SHA_256;
    Digest digest = Digest.of(sha256, sha256.newMessageDigest().digest(CONTENT));
    Served served =
        Served.of(
            new Artifact(
                new Repository("fleet", true, false, false, PathPolicy.DEFAULT, Instant.EPOCH),
                "fw.img",
                ref,
                "application/x",
                new Digests(Map.of(sha256, digest)),
                Instant.EPOCH));
    server.setHandler(
        new Handler.Abstract.NonBlocking() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            emitter.emit(Download.of(new Exchange(request, response, callback), served, plan));
            return true;
          }
        });
    connector.setHost("127.0.0.1");
    server.setConnectors(new ServerConnector[] {connector});
    server.start();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort());
    socket.setSoTimeout(60_000);
    socket
        .getOutputStream()
        .write(
            "GET /fw.img HTTP/1.1\r\nHost: device\r\nConnection: close\r\n\r\n"
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  /** The body as far as it came. */
  private byte[] download() throws IOException {
    try (Socket socket = connect()) {
      InputStream in = socket.getInputStream();
      ByteArrayOutputStream received = new ByteArrayOutputStream();
      byte[] buffer = new byte[64 * 1024];
      try {
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
          received.write(buffer, 0, n);
        }
      } catch (SocketException e) {
        // A reset is a cut connection too.
      }
      byte[] bytes = received.toByteArray();
      int body = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("\r\n\r\n") + 4;
      return Arrays.copyOfRange(bytes, body, bytes.length);
    }
  }

  /** A store of one region. */
  private static final class ColdBlobStore extends ForwardingBlobStore {
    private final ColdRegion region;

    ColdBlobStore(BlobStore store, ColdRegion region) {
      super(store);
      this.region = region;
    }

    @Override
    public Blob blob(BlobRef ref) {
      return new Blob() {
        @Override
        public BlobRef ref() {
          return ref;
        }

        @Override
        public RangeReader open(ByteRange range) {
          throw new AssertionError("A mapped blob is not read");
        }

        @Override
        public Wait waitToOpen() {
          return Wait.NONE;
        }

        @Override
        public Optional<FileRegion> fileRegion(ByteRange range) {
          assertThat(range).isEqualTo(ByteRange.whole(LENGTH));
          return Optional.of(region);
        }
      };
    }
  }
}
