package io.artifactserver.rest.command.client;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.command.client.ClientException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Fetches the missing bytes of one version of an artifact by ranges beside each other, while the
 * digest of those that are there is computed. {@code If-Range} with a strong entity tag sees to it
 * that no byte of another version is taken. Run once, by one thread.
 */
final class Download {
  private static final long SAVE_SECONDS = 1;

  private final Remote remote;
  private final Console console;
  private final ArtifactId id;
  private final Remote.Found found;
  private final PulledFile pulled;
  private final PullState state;
  private final FetchedBytes fetched;
  private final int parallel;

  /** Bytes that the file of the state knows of. */
  private long saved;

  /**
   * @param pulled gets the bytes
   */
  Download(
      Remote remote,
      Console console,
      ArtifactId id,
      Remote.Found found,
      PulledFile pulled,
      PullState state,
      int parallel) {
    this.remote = remote;
    this.console = console;
    this.id = id;
    this.found = found;
    this.pulled = pulled;
    this.state = state;
    this.fetched = state.fetched();
    this.parallel = parallel;
  }

  /**
   * A download that has ended.
   *
   * @param transferred bytes that came over the network
   * @param seeded bytes that the seed had
   * @param sha256 of the file; empty if the artifact changed before all bytes were there
   */
  record Result(long transferred, long seeded, String sha256) {}

  Result run(Optional<Path> seed) throws ClientException, InterruptedException, IOException {
    long before = fetched.count();
    if (seed.isPresent()) {
      new Seed(remote, console, id, found).copy(seed.get(), pulled.channel(), fetched);
    }
    long seeded = fetched.count() - before;
    Pieces pieces = new Pieces(fetched.missing(ByteRange.whole(found.length())), parallel);
    FileDigest digest = new FileDigest(pulled.part(), found.length(), fetched);
    List<String> sha256 = new ArrayList<>();
    List<Callable<?>> tasks = new ArrayList<>();
    for (int i = 0; i < Math.min(parallel, pieces.count()); i++) {
      tasks.add(() -> fetch(pieces));
    }
    tasks.add(() -> sha256.add(digest(digest)));
    saved = before;
    try (ScheduledExecutorService saver =
            Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().factory());
        Interruption _ = new Interruption(this::saveQuietly);
        Progress _ = Progress.ofTransfer(console, pulled.name(), found.length(), fetched::count)) {
      var _ =
          saver.scheduleWithFixedDelay(
              this::saveChange, SAVE_SECONDS, SAVE_SECONDS, TimeUnit.SECONDS);
      Workers.run(tasks);
    } catch (Changed e) {
      return new Result(fetched.count() - before - seeded, seeded, "");
    } catch (ClientException e) {
      saveQuietly();
      throw e;
    }
    return new Result(fetched.count() - before - seeded, seeded, sha256.getFirst());
  }

  /** Fetches one piece after the other until there is none. */
  private boolean fetch(Pieces pieces) throws ClientException, InterruptedException {
    try (RangeFetch ranges = new RangeFetch(remote, id, found, pulled.part(), fetched)) {
      for (Optional<ByteRange> piece = pieces.next(); piece.isPresent(); piece = pieces.next()) {
        ByteRange range = piece.get();
        Retries retries = new Retries(console, fetched::count);
        retries.run(() -> {
          for (ByteRange missing : fetched.missing(range)) {
            if (!ranges.fetch(missing)) {
              throw new Changed(id);
            }
          }
          return range;
        });
      }
      return true;
    }
  }

  private String digest(FileDigest digest) throws ClientException, InterruptedException {
    try {
      return digest.call();
    } catch (IOException e) {
      throw new ClientException(
          Reason.FAILED, "cannot read %s: %s".formatted(pulled.part(), Remote.reason(e)));
    }
  }

  /** Remembers what is there, also while the connections stall. Run by one thread at a time. */
  private void saveChange() {
    long count = fetched.count();
    if (count != saved) {
      saved = count;
      saveQuietly();
    }
  }

  private void saveQuietly() {
    try {
      state.save();
    } catch (IOException e) {
      console.note("cannot remember what is there: " + Remote.reason(e));
    }
  }

  /** The artifact is another one now. */
  private static final class Changed extends ClientException {
    private static final long serialVersionUID = 1L;

    Changed(ArtifactId id) {
      super(Reason.OTHER_BYTES, id + " has changed");
    }
  }
}
