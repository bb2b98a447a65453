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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
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

  /** So many bytes of a file wait for its SHA-256. The digest of a shorter file comes first. */
  private static final long TAIL = 1L << 20;

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
      UploadState.Begun begun =
          last.filter(before -> before.version().equals(version))
              .orElse(new UploadState.Begun(version, "", List.of()));
      long length = file.size();
      Optional<Remote.Found> found = retried(() -> remote.find(id));
      boolean isFirst = begun.sha256().isEmpty() && (found.isPresent() || length <= TAIL);
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
        sent = send(new Source(path, file, id, state, sha256, new AtomicLong()), begun);
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

  /**
   * A file on its way.
   *
   * @param sha256 in hexadecimal, as soon as it is known
   * @param sent bytes
   */
  private record Source(
      Path path,
      FileChannel file,
      ArtifactId id,
      UploadState state,
      CompletableFuture<String> sha256,
      AtomicLong sent) {}

  /** Sends until the artifact is there; returns how many bytes that took. */
  private long send(Source source, UploadState.Begun known)
      throws ClientException, InterruptedException, IOException {
    ArtifactId id = source.id();
    CompletableFuture<String> sha256 = source.sha256();
    UploadState.Begun begun = known;
    for (int i = 0; i < MAX_BEGINS; i++) {
      boolean isNew = begun.uploads().isEmpty();
      if (isNew) {
        begun = begin(id, source.file().size(), begun.version(), sha256.getNow(""));
        source.state().remember(begun);
      }
      try {
        if (complete(source, begun, isNew) || isThere(id, sha256.join())) {
          return source.sent().get();
        }
      } catch (ClientException e) {
        throw explained(e, source, begun);
      }
      console.note("the server does not know the upload any more; it begins again");
      begun = new UploadState.Begun(begun.version(), sha256.join(), List.of());
    }
    throw new ClientException(
        Reason.FAILED, "the server lost %d uploads of %s".formatted(MAX_BEGINS, id));
  }

  private ClientException explained(ClientException failure, Source source, UploadState.Begun begun)
      throws IOException {
    if (failure.reason() == Reason.OTHER_BYTES) {
      source.state().forget();
      if (!version(source.path()).equals(begun.version())) {
        return new ClientException(
            Reason.FAILED, source.path() + " has changed while it was sent; push it again");
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
          ids.add(uploads.beginPart(id, edge(length, parts, i + 1) - edge(length, parts, i)));
        }
      } else {
        ids.add(uploads.begin(id, length, metadata(sha256)));
      }
      return new UploadState.Begun(version, sha256, ids);
    });
  }

  /** Where a part begins, which is where the one before it ends. */
  static long edge(long length, int parts, int number) {
    return number == parts ? length : length / parts * number;
  }

  /** Sends the parts, and puts them together; false if the server does not know one any more. */
  private boolean complete(Source source, UploadState.Begun begun, boolean isNew)
      throws ClientException, InterruptedException, IOException {
    int count = begun.uploads().size();
    long length = source.file().size();
    CompletableFuture<String> sha256 = source.sha256();
    List<AtomicLong> positions = new ArrayList<>();
    List<Callable<?>> tasks = new ArrayList<>();
    AtomicBoolean isLost = new AtomicBoolean();
    for (int i = 0; i < count; i++) {
      Part part =
          new Part(
              begun.uploads().get(i),
              edge(length, count, i),
              edge(length, count, i + 1),
              new AtomicLong(edge(length, count, i)),
              count == 1);
      positions.add(part.position());
      tasks.add(() -> {
        if (!send(source, part, isNew)) {
          isLost.set(true);
        }
        return part;
      });
    }
    if (!sha256.isDone()) {
      tasks.add(() -> {
        String value = digest(source.path());
        source.state().remember(new UploadState.Begun(begun.version(), value, begun.uploads()));
        return sha256.complete(value);
      });
    }
    long begins = positions.stream().mapToLong(AtomicLong::get).sum();
    try (Progress _ =
        new Progress(
                console,
                String.valueOf(source.path().getFileName()),
                length,
                () -> positions.stream().mapToLong(AtomicLong::get).sum() - begins)
            .start()) {
      Workers.run(tasks);
    }
    return !isLost.get()
        && (count == 1 || concatenate(source.id(), begun.uploads(), sha256.join()));
  }

  private static String digest(Path path) throws ClientException, InterruptedException {
    try {
      return FileDigest.of(path).call();
    } catch (IOException e) {
      throw new ClientException(
          Reason.FAILED, "cannot read %s: %s".formatted(path, Remote.reason(e)));
    }
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

  /**
   * A part on its way.
   *
   * @param begin in the file
   * @param end in the file
   * @param position in the file, of the next byte to send
   * @param isWhole whether it is the whole file
   */
  private record Part(String upload, long begin, long end, AtomicLong position, boolean isWhole) {}

  private boolean send(Source source, Part part, boolean isNew)
      throws ClientException, InterruptedException {
    CompletableFuture<String> sha256 = source.sha256();
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
          boolean isThere = true;
          while (isThere && part.position().get() < part.end()) {
            long from = part.position().get();
            long body = part.end() - TAIL;
            boolean waits = part.isWhole() && !sha256.isDone() && from < body;
            Optional<String> digest =
                part.isWhole() && !waits ? Optional.of(await(sha256)) : Optional.empty();
            try {
              isThere =
                  uploads.send(
                      part.upload(),
                      source.file(),
                      part.begin(),
                      part.position(),
                      waits ? body : part.end(),
                      digest);
            } finally {
              source.sent().addAndGet(part.position().get() - from);
            }
          }
          return isThere;
        });
  }

  /** Waits for a digest that another task computes; if that fails, it interrupts. */
  private static String await(CompletableFuture<String> sha256) throws InterruptedException {
    try {
      return sha256.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
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

  /** Changes when the file does, as far as the file system tells. */
  private static String version(Path path) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
    return "%d bytes of %s, %s"
        .formatted(attributes.size(), attributes.lastModifiedTime(), attributes.fileKey());
  }
}
