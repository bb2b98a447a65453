package io.artifactserver.rest.api.artifact;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestResult;
import io.artifactserver.core.upload.UnfinishedUploads;
import io.artifactserver.core.upload.UploadException;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Makes artifacts of uploads that have parts. The request that does it needs its token to the end,
 * as one that sends bytes does. Thread-safe.
 */
@Component
public record UploadAssembly(UnfinishedUploads uploads, UploadReception reception) {
  private static final Logger LOG = LoggerFactory.getLogger(UploadAssembly.class);

  /**
   * As {@link UnfinishedUploads#concatenate}.
   *
   * @throws ProblemException if the caller's token is taken away meanwhile; what is in place is
   *     kept
   */
  Optional<IngestResult> concatenate(String whole, HttpServletRequest request)
      throws IngestException, StorageException, UploadException {
    BooleanSupplier mayGoOn = reception.mayGoOn(request);
    Optional<UploadExchange> exchange = UploadExchange.find(request);
    AtomicLong asked = new AtomicLong(System.nanoTime());
    return uploads.concatenate(
        whole,
        () -> {
          exchange.ifPresent(running -> running.turn().giveWay());
          long now = System.nanoTime();
          if (now - asked.get() >= RequestBodyStream.RECALL.toNanos()) {
            asked.set(now);
            require(mayGoOn);
          }
        },
        () -> require(mayGoOn));
  }

  /**
   * Makes the artifact whose last part has come now. An upload of another caller waits for a
   * request of its own: nobody knows here whether that caller still may.
   *
   * @return empty if there is none; a failure is told to its own request
   */
  Optional<IngestResult> concatenateWholeOf(String part, HttpServletRequest request) {
    Optional<String> whole = uploads.whole(part);
    try {
      return whole.isPresent()
              && uploads.status(whole.get()).owner().equals(CurrentCaller.get().id())
          ? concatenate(whole.get(), request)
          : Optional.empty();
    } catch (IngestException | StorageException | UploadException e) {
      LOG.debug("The parts of upload {} do not become an artifact now", whole.orElse(""), e);
      return Optional.empty();
    }
  }

  private static void require(BooleanSupplier mayGoOn) {
    if (!mayGoOn.getAsBoolean()) {
      throw new ProblemException(Problems.unauthorized());
    }
  }
}
