package io.artifactserver.rest.command.client;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.rest.command.client.ClientException.Reason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Takes a file to the server. If the path has an artifact, its SHA-256 is compared, and nothing is
 * sent: a path never takes other bytes. Else the bytes go by tus, in parts beside each other where
 * the server can put them together. The SHA-256 is computed meanwhile and goes with the last bytes:
 * the server compares it before the artifact is there. Used by one thread.
 */
final class Push {
  /** A shorter part is not worth a connection. */
  static final long MIN_PART = 16L << 20;

  /** Uploads of one file that the server may lose before it is a failure. */
  private static final int MAX_BEGINS = 3;

  /** Between two questions whether the server has put the parts together. */
  private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);

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
      TusUploads uploads,
      Console console,
      String server,
      Path stateFolder,
      int parallel,
      boolean isParallelAnyway,
      Optional<String> mediaType) {
    this.remote = remote;
    this.uploads = uploads;
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
    RegularFile.requireSource(path);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        UploadState state = UploadState.open(stateFolder, server, id, path, console)) {
      String version = PushedFile.version(path);
      Optional<UploadState.Begun> last = state.begun();
      UploadState.Begun begun =
          last.filter(before -> before.version().equals(version))
              .orElse(new UploadState.Begun(version, "", List.of()));
      PushedFile file =
          new PushedFile(
              path,
              channel,
              channel.size(),
              id,
              state,
              new AtomicReference<>(begun),
              new CompletableFuture<>(),
              new AtomicLong());
      Optional<Remote.Found> found = retried(() -> remote.find(id));
      if (last.isPresent() && begun.uploads().isEmpty()) {
        // Bytes that the file has no more.
        end(last.get().uploads());
      }
      boolean wasThere;
      try {
        wasThere = publish(file, found);
      } catch (ClientException e) {
        throw e.isFinal() ? given(file, e) : e;
      }
      state.forget();
      if (!file.isUnchanged(console)) {
        throw new ClientException(
            Reason.OTHER_BYTES,
            "%s has changed meanwhile: %s has the bytes from before, SHA-256 %s. Choose another path for the new ones"
                .formatted(path, id, file.sha256().join()));
      }
      return new Outcome(
          "push",
          path.toString(),
          id,
          file.length(),
          file.sent().get(),
          0,
          System.nanoTime() - begin,
          file.sha256().join(),
          wasThere);
    } catch (IOException e) {
      throw new ClientException(
          Files.exists(path) ? Reason.FAILED : Reason.ABSENT,
          "cannot read %s: %s".formatted(path, Remote.reason(e)));
    }
  }

  /** Sends the bytes unless the path has them; returns whether it had. */
  private boolean publish(PushedFile file, Optional<Remote.Found> found)
      throws ClientException, InterruptedException, IOException {
    String known = file.begun().get().sha256();
    CompletableFuture<String> sha256 = file.sha256();
    if (!known.isEmpty()) {
      sha256.complete(known);
    } else if (found.isPresent() || file.length() <= PartSender.TAIL) {
      sha256.complete(FileDigest.of(file.path(), console));
    }
    if (found.isPresent() && isSame(file.id(), found.get(), sha256.join())) {
      end(file.begun().get().uploads());
      return true;
    }
    send(file);
    if (!isThere(file.id(), sha256.join())) {
      throw new ClientException(
          Reason.FAILED, "the server took %s and does not have it".formatted(file.id()));
    }
    return false;
  }

  /** Ends an upload that the server never completes, and says why it does not. */
  private ClientException given(PushedFile file, ClientException failure)
      throws InterruptedException, IOException {
    end(file.begun().get().uploads());
    file.state().forget();
    return failure.reason() == Reason.OTHER_BYTES
            && !PushedFile.version(file.path()).equals(file.begun().get().version())
        ? new ClientException(
            Reason.FAILED,
            file.path() + " has changed while it was sent, so nothing was kept; push it again")
        : failure;
  }

  /** Ends uploads that nobody will complete: they would take room until they expire. */
  private void end(List<String> ids) throws InterruptedException {
    try {
      for (String upload : ids) {
        uploads.end(upload);
      }
    } catch (IOException e) {
      // They expire.
    }
  }

  /** Sends until the artifact is there. */
  private void send(PushedFile file) throws ClientException, InterruptedException {
    for (int i = 0; i < MAX_BEGINS; i++) {
      boolean isNew = file.begun().get().uploads().isEmpty();
      if (isNew) {
        begin(file);
      }
      if (complete(file, isNew) || isThere(file.id(), file.sha256().join())) {
        return;
      }
      console.note("the server does not know the upload any more; it begins again");
      end(file.begun().get().uploads());
      file.begun()
          .updateAndGet(
              lost -> new UploadState.Begun(lost.version(), file.sha256().join(), List.of()));
    }
    throw new ClientException(
        Reason.FAILED, "the server lost %d uploads of %s".formatted(MAX_BEGINS, file.id()));
  }

  /** Begins one upload, or one for each part. */
  private void begin(PushedFile file) throws ClientException, InterruptedException {
    ArtifactId id = file.id();
    int parts = (int) Math.min(parallel, file.length() / MIN_PART);
    // The server reads the parts again when it puts them together: that has to pay.
    boolean isParallel =
        parts > 1
            && retried(() -> (isParallelAnyway || remote.isFar(id)) && uploads.canConcatenate());
    int count = isParallel ? parts : 1;
    String sha256 = file.sha256().getNow("");
    List<String> ids = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        long length =
            PartSender.edge(file.length(), count, i + 1) - PartSender.edge(file.length(), count, i);
        ids.add(
            retried(() ->
                isParallel
                    ? uploads.beginPart(id, length)
                    : uploads.begin(id, length, metadata(sha256))));
      }
    } catch (ClientException e) {
      end(ids);
      throw e;
    }
    UploadState.Begun begun = new UploadState.Begun(file.begun().get().version(), sha256, ids);
    file.begun().set(begun);
    file.state().remember(begun);
  }

  /** Sends the parts, and puts them together; false if the server does not know one any more. */
  private boolean complete(PushedFile file, boolean isNew)
      throws ClientException, InterruptedException {
    UploadState.Begun begun = file.begun().get();
    return sender.send(file, begun, isNew)
        && (begun.uploads().size() == 1 || concatenate(file, begun.uploads()));
  }

  /** False also if the parts have become the artifact, and the answer was lost. */
  private boolean concatenate(PushedFile file, List<String> parts)
      throws ClientException, InterruptedException {
    AtomicInteger attempts = new AtomicInteger();
    Map<String, String> metadata = metadata(file.sha256().join());
    try (Progress _ =
        Progress.ofWait(
            console,
            String.valueOf(file.path().getFileName()),
            "the server is putting %d parts together".formatted(parts.size()))) {
      while (true) {
        TusUploads.Whole whole =
            retried(
                () -> uploads.concatenate(file.id(), parts, metadata, attempts.getAndIncrement()));
        if (whole != TusUploads.Whole.UNDER_WAY) {
          return whole == TusUploads.Whole.MADE;
        }
        Thread.sleep(LOOK_INTERVAL);
      }
    }
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
}
