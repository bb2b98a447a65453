package io.artifactserver.rest.command.client;

import io.artifactserver.rest.command.client.ClientException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sends the parts of a file beside each other, each to an upload of its own, and computes the
 * SHA-256 of the file meanwhile. Used by one thread.
 */
final class PartSender {
  /**
   * The length in bytes of the end of a file, which waits for the SHA-256 and is sent with it. The
   * SHA-256 of a shorter file is computed first.
   */
  static final long TAIL = 1L << 20;

  private final TusUploads uploads;
  private final Console console;

  PartSender(TusUploads uploads, Console console) {
    this.uploads = uploads;
    this.console = console;
  }

  /** Where a part begins, which is where the one before it ends. */
  static long edge(long length, int parts, int number) {
    return number == parts ? length : length / parts * number;
  }

  /**
   * Sends all parts, and waits for the SHA-256. I/O, for as long as the transfer takes.
   *
   * @param begun has one upload for each part
   * @param isNew whether the uploads have no bytes yet; otherwise the server is asked
   * @return false if the server does not know one of the uploads any more
   */
  boolean send(PushedFile file, UploadState.Begun begun, boolean isNew)
      throws ClientException, InterruptedException {
    int count = begun.uploads().size();
    long length = file.length();
    CompletableFuture<String> sha256 = file.sha256();
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
        if (!send(file, part, isNew)) {
          isLost.set(true);
        }
        return part;
      });
    }
    if (!sha256.isDone()) {
      tasks.add(() -> {
        String value = digest(file.path());
        file.state().remember(new UploadState.Begun(begun.version(), value, begun.uploads()));
        return sha256.complete(value);
      });
    }
    long begins = positions.stream().mapToLong(AtomicLong::get).sum();
    try (Progress _ =
        Progress.ofTransfer(
            console,
            String.valueOf(file.path().getFileName()),
            length,
            () -> positions.stream().mapToLong(AtomicLong::get).sum() - begins)) {
      Workers.run(tasks);
    }
    return !isLost.get();
  }

  private static String digest(Path path) throws ClientException, InterruptedException {
    try {
      return FileDigest.of(path).call();
    } catch (IOException e) {
      throw new ClientException(
          Reason.FAILED, "cannot read %s: %s".formatted(path, Remote.reason(e)));
    }
  }

  private boolean send(PushedFile file, Part part, boolean isNew)
      throws ClientException, InterruptedException {
    CompletableFuture<String> sha256 = file.sha256();
    AtomicBoolean isKnown = new AtomicBoolean(isNew);
    return new Retries(console, part.position()::get)
        .run(() -> {
          // After a failure only the server knows.
          if (!isKnown.getAndSet(false)) {
            OptionalLong offset = uploads.offset(part.upload());
            if (offset.isEmpty()) {
              return false;
            }
            if (offset.getAsLong() > part.end() - part.begin()) {
              throw new IOException("the server says that it has more bytes than there are");
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
                      file.channel(),
                      part.begin(),
                      part.position(),
                      waits ? body : part.end(),
                      digest);
            } finally {
              file.sent().addAndGet(part.position().get() - from);
            }
          }
          return isThere;
        });
  }

  /** Waits for a digest that another task computes; if that fails, this is interrupted. */
  private static String await(CompletableFuture<String> sha256) throws InterruptedException {
    try {
      return sha256.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
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
}
