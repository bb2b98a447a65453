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
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Takes a file to the server. Its SHA-256 comes first, because a path never takes other bytes: the
 * server compares it with what the path has before the first byte, and with what came after the
 * last. Then the bytes go by tus, in parts beside each other where the server can put them
 * together. Used by one thread.
 */
final class Push {
  /** A shorter part is not worth a connection. */
  static final long MIN_PART = 16L << 20;

  private static final int ROUND_TRIPS = 3;
  private static final long FAR_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** How often and how long to look for an artifact that the server may be putting together. */
  private static final int LOOKS = 100;

  private static final Duration LOOK_INTERVAL = Duration.ofSeconds(5);

  /** Uploads of one file that the server may lose before it is a failure. */
  private static final int MAX_BEGINS = 3;

  private final Remote remote;
  private final TusUploads uploads;
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
      Optional<UploadState.Begun> before = last.filter(begun -> begun.version().equals(version));
      String sha256 = before.isPresent() ? before.get().sha256() : FileDigest.of(path, console);
      long length = file.size();
      long sent = 0;
      boolean wasThere = isThere(id, sha256);
      if (!wasThere) {
        if (last.isPresent() && before.isEmpty()) {
          end(last.get());
        }
        List<String> begun = before.map(UploadState.Begun::uploads).orElse(List.of());
        sent = send(file, path, id, state, new UploadState.Begun(version, sha256, begun));
        if (!isThere(id, sha256)) {
          throw new ClientException(
              Reason.FAILED, "the server took %s and does not have it".formatted(id));
        }
      }
      state.forget();
      long nanos = System.nanoTime() - begin;
      return new Outcome("push", path.toString(), id, length, sent, 0, nanos, sha256, wasThere);
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
  private long send(
      FileChannel file, Path path, ArtifactId id, UploadState state, UploadState.Begun known)
      throws ClientException, InterruptedException, IOException {
    AtomicLong sent = new AtomicLong();
    UploadState.Begun begun = known;
    for (int i = 0; i < MAX_BEGINS; i++) {
      boolean isNew = begun.uploads().isEmpty();
      if (isNew) {
        begun = begin(id, file.size(), begun);
        state.remember(begun);
      }
      try {
        if (complete(file, path, id, begun, isNew, sent) || isThere(id, begun.sha256())) {
          return sent.get();
        }
      } catch (ClientException e) {
        throw explained(e, path, begun, state);
      }
      console.note("the server does not know the upload any more; it begins again");
      begun = new UploadState.Begun(begun.version(), begun.sha256(), List.of());
    }
    throw new ClientException(
        Reason.FAILED, "the server lost %d uploads of %s".formatted(MAX_BEGINS, id));
  }

  private ClientException explained(
      ClientException failure, Path path, UploadState.Begun begun, UploadState state)
      throws IOException {
    if (failure.reason() == Reason.OTHER_BYTES) {
      state.forget();
      if (!version(path).equals(begun.version())) {
        return new ClientException(
            Reason.FAILED, path + " has changed while it was sent; push it again");
      }
    }
    return failure;
  }

  /** Begins one upload, or one for each part. */
  private UploadState.Begun begin(ArtifactId id, long length, UploadState.Begun begun)
      throws ClientException, InterruptedException {
    return retried(() -> {
      List<String> ids = new ArrayList<>();
      int parts = (int) Math.min(parallel, length / MIN_PART);
      if (parts > 1 && (isParallelAnyway || isFar(id)) && uploads.canConcatenate()) {
        for (int i = 0; i < parts; i++) {
          ids.add(uploads.beginPart(id, edge(length, parts, i + 1) - edge(length, parts, i)));
        }
      } else {
        ids.add(uploads.begin(id, length, metadata(begun.sha256())));
      }
      return new UploadState.Begun(begun.version(), begun.sha256(), ids);
    });
  }

  /**
   * Whether several connections are faster than one. The server reads the parts again when it puts
   * them together, so they have to save more time than that takes.
   */
  private boolean isFar(ArtifactId id) throws IOException, InterruptedException, ClientException {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < ROUND_TRIPS; i++) {
      long begin = System.nanoTime();
      var _ = remote.find(id);
      least = Math.min(least, System.nanoTime() - begin);
    }
    return least >= FAR_NANOS;
  }

  /** Where a part begins, which is where the one before it ends. */
  static long edge(long length, int parts, int number) {
    return number == parts ? length : length / parts * number;
  }

  /** Sends the parts, and puts them together; false if the server does not know one any more. */
  private boolean complete(
      FileChannel file,
      Path path,
      ArtifactId id,
      UploadState.Begun begun,
      boolean isNew,
      AtomicLong sent)
      throws ClientException, InterruptedException, IOException {
    int count = begun.uploads().size();
    long length = file.size();
    List<AtomicLong> positions = new ArrayList<>();
    List<Callable<?>> tasks = new ArrayList<>();
    AtomicBoolean isLost = new AtomicBoolean();
    for (int i = 0; i < count; i++) {
      Part part =
          new Part(
              begun.uploads().get(i),
              edge(length, count, i),
              edge(length, count, i + 1),
              new AtomicLong(edge(length, count, i)));
      positions.add(part.position());
      tasks.add(() -> {
        if (!send(file, part, isNew, sent)) {
          isLost.set(true);
        }
        return part;
      });
    }
    long begins = positions.stream().mapToLong(AtomicLong::get).sum();
    try (Progress _ =
        new Progress(
                console,
                String.valueOf(path.getFileName()),
                length,
                () -> positions.stream().mapToLong(AtomicLong::get).sum() - begins)
            .start()) {
      Workers.run(tasks);
    }
    return !isLost.get() && (count == 1 || concatenate(id, begun));
  }

  private boolean concatenate(ArtifactId id, UploadState.Begun begun)
      throws ClientException, InterruptedException {
    AtomicBoolean isAnswerLost = new AtomicBoolean();
    boolean isDone =
        retried(() -> {
          try {
            return uploads.concatenate(id, begun.uploads(), metadata(begun.sha256()));
          } catch (IOException e) {
            isAnswerLost.set(true);
            throw e;
          }
        });
    // The parts are gone: the server is at it, or has done it.
    for (int i = 0; !isDone && isAnswerLost.get() && i < LOOKS; i++) {
      isDone = isThere(id, begun.sha256());
      if (!isDone) {
        Thread.sleep(LOOK_INTERVAL);
      }
    }
    return isDone;
  }

  /**
   * A part on its way.
   *
   * @param begin in the file
   * @param end in the file
   * @param position in the file, of the next byte to send
   */
  private record Part(String upload, long begin, long end, AtomicLong position) {}

  private boolean send(FileChannel file, Part part, boolean isNew, AtomicLong sent)
      throws ClientException, InterruptedException {
    AtomicBoolean isKnown = new AtomicBoolean(isNew);
    return new Retries(console, part.position()::get)
        .run(() -> {
          // After a failure only the server knows.
          if (!isKnown.getAndSet(false)) {
            OptionalLong offset = uploads.offset(part.upload());
            if (offset.isEmpty()) {
              return false;
            }
            part.position().set(part.begin() + offset.getAsLong());
          }
          long from = part.position().get();
          if (from == part.end()) {
            return true;
          }
          try {
            return uploads.send(part.upload(), file, part.begin(), part.position(), part.end());
          } finally {
            sent.addAndGet(part.position().get() - from);
          }
        });
  }

  /** Whether the path has these bytes; if it has others, they stay. */
  private boolean isThere(ArtifactId id, String sha256)
      throws ClientException, InterruptedException {
    Optional<Remote.Found> found = retried(() -> remote.find(id));
    if (found.isPresent() && !found.get().sha256().equals(sha256)) {
      throw new ClientException(
          Reason.OTHER_BYTES,
          "%s has other bytes already: SHA-256 %s, not %s. Choose another path"
              .formatted(id, found.get().sha256(), sha256));
    }
    return found.isPresent();
  }

  private <T> T retried(Retries.Attempt<T> attempt) throws ClientException, InterruptedException {
    return new Retries(console, () -> 0).run(attempt);
  }

  private Map<String, String> metadata(String sha256) {
    Map<String, String> metadata = new LinkedHashMap<>();
    metadata.put("sha256", sha256);
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
