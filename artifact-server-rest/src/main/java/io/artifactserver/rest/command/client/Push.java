package io.artifactserver.rest.command.client;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.rest.command.client.ClientException.Reason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Takes a file to the server. If the path has an artifact, its SHA-256 is compared, and nothing is
 * sent: a path never takes other bytes. Else the bytes go by tus, in parts beside each other where
 * the server can put them together. The SHA-256 is computed meanwhile and goes with the last bytes:
 * the server compares it before the artifact is there. Used by one thread.
 */
final class Push {
  /** A shorter part is not worth a connection. */
  static final long MIN_PART = 16L << 20;

  /** How often and how long to look for an artifact that the server may be putting together. */
  private static final int LOOKS = 100;

  private static final Duration LOOK_INTERVAL = Duration.ofSeconds(5);

  /** Uploads of one file that the server may lose before it is a failure. */
  private static final int MAX_BEGINS = 3;

  private final Remote remote;
  private final TusUploads uploads;
  private final PartSender sender;
  private final Console console;
  private final String server;
  private final Path stateFolder;
  private final int parallel;
  private final boolean isParallelAnyway;
  private final Optional<String> mediaType;

  /**
   * @param server as it is remembered with an unfinished upload
   * @param isParallelAnyway whether parts go beside each other even to a server that is near
   */
  Push(
      Remote remote,
      Console console,
      String server,
      Path stateFolder,
      int parallel,
      boolean isParallelAnyway,
      Optional<String> mediaType) {
    this.remote = remote;
    this.uploads = new TusUploads(remote);
    this.sender = new PartSender(uploads, console);
    this.console = console;
    this.server = server;
    this.stateFolder = stateFolder;
    this.parallel = parallel;
    this.isParallelAnyway = isParallelAnyway;
    this.mediaType = mediaType;
  }

  Outcome push(Path path, ArtifactId id) throws ClientException, InterruptedException {
    long begin = System.nanoTime();
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
        UploadState state = UploadState.open(stateFolder, server, id, path, console)) {
      String version = version(path);
      Optional<UploadState.Begun> last = state.begun();
      UploadState.Begun begun =
          last.filter(before -> before.version().equals(version))
              .orElse(new UploadState.Begun(version, "", List.of()));
      long length = file.size();
      Optional<Remote.Found> found = retried(() -> remote.find(id));
      boolean isFirst =
          begun.sha256().isEmpty() && (found.isPresent() || length <= PartSender.TAIL);
      CompletableFuture<String> sha256 = new CompletableFuture<>();
      if (isFirst || !begun.sha256().isEmpty()) {
        sha256.complete(isFirst ? FileDigest.of(path, console) : begun.sha256());
      }
      long sent = 0;
      boolean wasThere = found.isPresent() && isSame(id, found.get(), sha256.join());
      if (!wasThere) {
        if (last.isPresent() && begun.uploads().isEmpty()) {
          end(last.get());
        }
        sent = send(new PushedFile(path, file, id, state, sha256, new AtomicLong()), begun);
        if (!isThere(id, sha256.join())) {
          throw new ClientException(
              Reason.FAILED, "the server took %s and does not have it".formatted(id));
        }
      }
      state.forget();
      long nanos = System.nanoTime() - begin;
      return new Outcome(
          "push", path.toString(), id, length, sent, 0, nanos, sha256.join(), wasThere);
    } catch (IOException e) {
      throw new ClientException(
          Files.exists(path) ? Reason.FAILED : Reason.ABSENT,
          "cannot read %s: %s".formatted(path, Remote.reason(e)));
    }
  }

  /** Ends an upload of bytes that the file has no more: it would take room until it expires. */
  private void end(UploadState.Begun begun) throws InterruptedException {
    for (String upload : begun.uploads()) {
      try {
        uploads.end(upload);
      } catch (IOException e) {
        // It expires.
      }
    }
  }

  /** Sends until the artifact is there; returns how many bytes that took. */
  private long send(PushedFile file, UploadState.Begun known)
      throws ClientException, InterruptedException, IOException {
    ArtifactId id = file.id();
    CompletableFuture<String> sha256 = file.sha256();
    UploadState.Begun begun = known;
    for (int i = 0; i < MAX_BEGINS; i++) {
      boolean isNew = begun.uploads().isEmpty();
      if (isNew) {
        begun = begin(id, file.channel().size(), begun.version(), sha256.getNow(""));
        file.state().remember(begun);
      }
      try {
        if (complete(file, begun, isNew) || isThere(id, sha256.join())) {
          return file.sent().get();
        }
      } catch (ClientException e) {
        throw explained(e, file, begun);
      }
      console.note("the server does not know the upload any more; it begins again");
      begun = new UploadState.Begun(begun.version(), sha256.join(), List.of());
    }
    throw new ClientException(
        Reason.FAILED, "the server lost %d uploads of %s".formatted(MAX_BEGINS, id));
  }

  private ClientException explained(
      ClientException failure, PushedFile file, UploadState.Begun begun) throws IOException {
    if (failure.reason() == Reason.OTHER_BYTES) {
      file.state().forget();
      if (!version(file.path()).equals(begun.version())) {
        return new ClientException(
            Reason.FAILED, file.path() + " has changed while it was sent; push it again");
      }
    }
    return failure;
  }

  /** Begins one upload, or one for each part. */
  private UploadState.Begun begin(ArtifactId id, long length, String version, String sha256)
      throws ClientException, InterruptedException {
    return retried(() -> {
      List<String> ids = new ArrayList<>();
      int parts = (int) Math.min(parallel, length / MIN_PART);
      // The server reads the parts again when it puts them together: that has to pay.
      if (parts > 1 && (isParallelAnyway || remote.isFar(id)) && uploads.canConcatenate()) {
        for (int i = 0; i < parts; i++) {
          long begin = PartSender.edge(length, parts, i);
          ids.add(uploads.beginPart(id, PartSender.edge(length, parts, i + 1) - begin));
        }
      } else {
        ids.add(uploads.begin(id, length, metadata(sha256)));
      }
      return new UploadState.Begun(version, sha256, ids);
    });
  }

  /** Sends the parts, and puts them together; false if the server does not know one any more. */
  private boolean complete(PushedFile file, UploadState.Begun begun, boolean isNew)
      throws ClientException, InterruptedException, IOException {
    return sender.send(file, begun, isNew)
        && (begun.uploads().size() == 1
            || concatenate(file.id(), begun.uploads(), file.sha256().join()));
  }

  private boolean concatenate(ArtifactId id, List<String> parts, String sha256)
      throws ClientException, InterruptedException {
    AtomicBoolean isAnswerLost = new AtomicBoolean();
    boolean isDone =
        retried(() -> {
          try {
            return uploads.concatenate(id, parts, metadata(sha256));
          } catch (IOException e) {
            isAnswerLost.set(true);
            throw e;
          }
        });
    // The parts are gone: the server is at it, or has done it.
    for (int i = 0; !isDone && isAnswerLost.get() && i < LOOKS; i++) {
      isDone = isThere(id, sha256);
      if (!isDone) {
        Thread.sleep(LOOK_INTERVAL);
      }
    }
    return isDone;
  }

  /** Whether the path has these bytes; if it has others, they stay. */
  private boolean isThere(ArtifactId id, String sha256)
      throws ClientException, InterruptedException {
    Optional<Remote.Found> found = retried(() -> remote.find(id));
    return found.isPresent() && isSame(id, found.get(), sha256);
  }

  private static boolean isSame(ArtifactId id, Remote.Found found, String sha256)
      throws ClientException {
    if (!found.sha256().equals(sha256)) {
      throw new ClientException(
          Reason.OTHER_BYTES,
          "%s has other bytes already: SHA-256 %s, not %s. Choose another path"
              .formatted(id, found.sha256(), sha256));
    }
    return true;
  }

  private <T> T retried(Retries.Attempt<T> attempt) throws ClientException, InterruptedException {
    return new Retries(console, () -> 0).run(attempt);
  }

  private Map<String, String> metadata(String sha256) {
    Map<String, String> metadata = new LinkedHashMap<>();
    if (!sha256.isEmpty()) {
      metadata.put("sha256", sha256);
    }
    mediaType.ifPresent(type -> metadata.put("mediaType", type));
    return metadata;
  }

  /** Changes when the file does, as far as the file system tells. */
  private static String version(Path path) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
    return "%d bytes of %s, %s"
        .formatted(attributes.size(), attributes.lastModifiedTime(), attributes.fileKey());
  }
}
