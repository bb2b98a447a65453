package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.grant.Arrival;
import io.artifactserver.core.grant.GrantedArtifact;
import io.artifactserver.core.grant.GrantedFile;
import io.artifactserver.core.grant.PulledFiles;
import io.artifactserver.core.thread.DaemonThreads;
import io.artifactserver.rest.log.FailureLog;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.LoggerFactory;

/**
 * Fetches artifacts from hawkBit, each once, as the device that asked first. Devices wait until the
 * artifact was compared with its digest, unless the operator has chosen to stream it. Thread-safe.
 */
final class Pulls implements Source {
  private static final FailureLog FAILURES = new FailureLog(LoggerFactory.getLogger(Pulls.class));

  /** hawkBit sends slowly, and spends a processor on few. */
  private static final int PULL_THREADS = 4;

  /** Artifacts that wait for a thread; beyond them devices are told to come again. */
  private static final int MAX_WAITING = 64;

  /** In bytes. */
  private static final int READ_AT_ONCE = 256 * 1024;

  /** In a row, without a byte. */
  private static final int MAX_ATTEMPTS = 5;

  private static final String STOPS = "the server stops";

  private final PulledFiles files;
  private final HawkbitClient client;
  private final QuestionQueue queue;
  private final Duration patience;
  private final Duration pause;
  private final Counter pulled;
  private final ThreadPoolExecutor threads = DaemonThreads.pool("hawkbit-pull-", PULL_THREADS);

  /**
   * @param patience with a hawkBit that sends nothing
   * @param pause before the second attempt; grows with each
   */
  Pulls(
      PulledFiles files,
      HawkbitClient client,
      QuestionQueue queue,
      Duration patience,
      Duration pause,
      MeterRegistry registry) {
    this.files = files;
    this.client = client;
    this.queue = queue;
    this.patience = patience;
    this.pause = pause;
    this.pulled =
        Counter.builder("artifact_server.hawkbit.pulled.bytes")
            .description("Bytes of artifacts that were fetched from hawkBit")
            .baseUnit("bytes")
            .register(registry);
  }

  @Override
  public Optional<GrantedFile> known(GrantedArtifact artifact) {
    return files.known(artifact);
  }

  @Override
  public CompletableFuture<Finding> look(Question question, GrantedArtifact artifact, Asker asker) {
    CompletableFuture<Finding> answer = new CompletableFuture<>();
    if (threads.getQueue().size() >= MAX_WAITING) {
      return CompletableFuture.completedFuture(
          new Finding.Unavailable("too many artifacts are queued to be fetched from hawkBit"));
    }
    try {
      threads.execute(() -> {
        try {
          answer.complete(new Finding.Found(artifact, files.check(artifact)));
        } catch (StorageException.BlobNotFound e) {
          pull(question, artifact, asker, answer);
        } catch (StorageException | RuntimeException e) {
          answer.complete(new Finding.Unavailable(String.valueOf(e.getMessage())));
        }
      });
    } catch (RejectedExecutionException e) {
      answer.complete(new Finding.Unavailable(STOPS));
    }
    return answer;
  }

  /** Blocks until all of the artifact is here. */
  private void pull(
      Question question, GrantedArtifact artifact, Asker asker, CompletableFuture<Finding> answer) {
    try {
      HttpResponse<InputStream> response = begin(question, artifact, asker);
      try (InputStream first = response.body()) {
        Optional<Finding> refusal = refusal(response, artifact);
        if (refusal.isPresent()) {
          answer.complete(refusal.get());
          return;
        }
        try (Arrival arrival = files.begin(artifact)) {
          Finding found = new Finding.Found(artifact, arrival.file());
          if (files.streams()) {
            answer.complete(found);
          }
          receive(question, artifact, asker, first, arrival);
          arrival.finish();
          answer.complete(found);
        }
      }
    } catch (IOException | RuntimeException e) {
      // Nobody learns the reason from a download that is cut off.
      FAILURES.failed(
          "Cannot fetch \"%s\" of tenant %s from hawkBit"
              .formatted(artifact.fileName(), artifact.tenant()),
          e);
      answer.complete(new Finding.Unavailable(String.valueOf(e.getMessage())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      answer.complete(new Finding.Unavailable(STOPS));
    }
  }

  /**
   * Asks for all of it. A connection that ends before the first byte of the body may fail the
   * request itself, if Java's client learns of both at once; so that is tried once more.
   */
  private HttpResponse<InputStream> begin(Question question, GrantedArtifact artifact, Asker asker)
      throws IOException, InterruptedException {
    try {
      return download(question, artifact, 0, asker);
    } catch (IOException e) {
      Throwable cause =
          e.getCause() instanceof ExecutionException failed ? failed.getCause() : null;
      if (!(cause instanceof IOException)
          || cause instanceof ConnectException
          || cause instanceof HttpTimeoutException) {
        throw e;
      }
      Thread.sleep(pause);
      return download(question, artifact, 0, asker);
    }
  }

  private static Optional<Finding> refusal(
      HttpResponse<InputStream> response, GrantedArtifact artifact) {
    return switch (response.statusCode()) {
      case 200 ->
          response.headers().firstValueAsLong("Content-Length").orElse(-1) == artifact.length()
              ? Optional.empty()
              : Optional.of(Finding.Refused.encrypted(artifact));
      case 401, 403 -> Optional.of(new Finding.Unauthorized());
      case 404, 410 -> Optional.of(new Finding.NotFound());
      default -> Optional.of(new Finding.Unavailable("hawkBit answered " + response.statusCode()));
    };
  }

  /** Goes on where a connection broke off. */
  private void receive(
      Question question, GrantedArtifact artifact, Asker asker, InputStream first, Arrival arrival)
      throws IOException, InterruptedException {
    int attempts = 0;
    InputStream next = first;
    while (true) {
      long before = arrival.position();
      IOException failure = new IOException("hawkBit ended the download early");
      try (InputStream body = next == null ? rest(question, artifact, before, asker) : next) {
        copy(body, arrival);
      } catch (StorageException e) {
        throw e;
      } catch (IOException e) {
        failure = e;
      }
      if (arrival.position() == artifact.length()) {
        return;
      }
      attempts = arrival.position() == before ? attempts + 1 : 1;
      if (attempts == MAX_ATTEMPTS) {
        throw new IOException(
            "Only %2$d of %1$d bytes came".formatted(artifact.length(), arrival.position()),
            failure);
      }
      next = null;
      Thread.sleep(pause.multipliedBy(attempts));
    }
  }

  private InputStream rest(Question question, GrantedArtifact artifact, long position, Asker asker)
      throws IOException, InterruptedException {
    HttpResponse<InputStream> response = download(question, artifact, position, asker);
    String expected =
        "bytes %d-%d/%d".formatted(position, artifact.length() - 1, artifact.length());
    String range = response.headers().firstValue("Content-Range").orElse("");
    // Nothing has come yet: all of it is asked for again, without a range.
    boolean isRest =
        position == 0
            ? response.statusCode() == 200
            : response.statusCode() == 206 && range.equals(expected);
    if (isRest) {
      return response.body();
    }
    response.body().close();
    throw new IOException(
        "hawkBit answered %d \"%s\" where %s was asked for"
            .formatted(response.statusCode(), range, expected));
  }

  private HttpResponse<InputStream> download(
      Question question, GrantedArtifact artifact, long position, Asker asker)
      throws IOException, InterruptedException {
    try {
      return queue.ask(asker, () -> client.download(question, artifact.fileName(), position)).get();
    } catch (ExecutionException e) {
      throw new IOException("hawkBit cannot be asked: " + e.getCause(), e);
    }
  }

  private void copy(InputStream body, Arrival arrival) throws IOException {
    AtomicLong progress = new AtomicLong();
    Thread watch = Thread.ofVirtual().name("hawkbit-pull-watch").start(() -> watch(body, progress));
    try {
      byte[] bytes = new byte[READ_AT_ONCE];
      int length;
      while ((length = body.read(bytes)) >= 0) {
        progress.incrementAndGet();
        arrival.write(ByteBuffer.wrap(bytes, 0, length));
        pulled.increment(length);
      }
    } finally {
      watch.interrupt();
    }
  }

  /** A read from hawkBit has no time-out of its own; closing the stream ends it. */
  private void watch(InputStream body, AtomicLong progress) {
    try {
      long seen;
      do {
        seen = progress.get();
        Thread.sleep(patience);
      } while (progress.get() != seen);
      body.close();
    } catch (InterruptedException | IOException e) {
      // It came to its end.
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
