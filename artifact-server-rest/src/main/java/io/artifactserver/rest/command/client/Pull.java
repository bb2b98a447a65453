package io.artifactserver.rest.command.client;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.rest.command.client.ClientException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Fetches an artifact into a file. Bytes go to {@code FILE.part}; beside it, {@code
 * FILE.part.state} says which are there. The file appears when its SHA-256 is right. Used by one
 * thread.
 */
final class Pull {
  /** Downloads that the artifact may spoil by changing. */
  private static final int MAX_BEGINS = 3;

  private final Remote remote;
  private final Console console;
  private final int parallel;
  private final boolean isParallelAnyway;

  /**
   * @param isParallelAnyway whether ranges go beside each other even from a server that is near
   */
  Pull(Remote remote, Console console, int parallel, boolean isParallelAnyway) {
    this.remote = remote;
    this.console = console;
    this.parallel = parallel;
    this.isParallelAnyway = isParallelAnyway;
  }

  /**
   * @param seed a file that has some of the bytes, such as an older version
   */
  Outcome pull(ArtifactId id, Path output, Optional<Path> seed)
      throws ClientException, InterruptedException {
    long begin = System.nanoTime();
    RegularFile.requireTarget(output);
    if (seed.isPresent()) {
      RegularFile.requireSource(seed.get());
    }
    Remote.Found found =
        new Retries(console, () -> 0)
            .run(() -> remote.find(id))
            .orElseThrow(() ->
                new ClientException(
                    Reason.ABSENT,
                    "there is no artifact %s that you may read: check the name, and whether the"
                            .formatted(id)
                        + " token's repositories and paths include it"));
    try {
      boolean wasThere =
          Files.isRegularFile(output)
              && Files.size(output) == found.length()
              && FileDigest.of(output, console).equals(found.sha256());
      Fetched fetched = wasThere ? new Fetched(found, 0, 0) : fetch(id, output, seed, found);
      return new Outcome(
          "pull",
          output.toString(),
          id,
          fetched.found().length(),
          fetched.transferred(),
          fetched.seeded(),
          System.nanoTime() - begin,
          fetched.found().sha256(),
          wasThere);
    } catch (IOException e) {
      throw new ClientException(
          Reason.FAILED, "cannot write %s: %s".formatted(output, Remote.reason(e)));
    }
  }

  /** An artifact that is there now, and where its bytes came from. */
  private record Fetched(Remote.Found found, long transferred, long seeded) {}

  private Fetched fetch(ArtifactId id, Path output, Optional<Path> seed, Remote.Found first)
      throws ClientException, InterruptedException, IOException {
    try (PulledFile file = PulledFile.open(output)) {
      long transferred = 0;
      Optional<Remote.Found> found = Optional.of(first);
      for (int i = 0; i < MAX_BEGINS; i++) {
        if (found.isEmpty()) {
          throw new ClientException(Reason.ABSENT, id + " was deleted meanwhile");
        }
        PullState state = PullState.open(file.part(), found.get());
        if (state.fetched().count() == 0) {
          file.channel().truncate(0);
        }
        Download download =
            new Download(remote, console, id, found.get(), file, state, connections(id));
        // Bytes that were wrong once may have come from the seed.
        Download.Result result = download.run(i == 0 ? seed : Optional.empty());
        transferred += result.transferred();
        if (result.sha256().equals(found.get().sha256())) {
          // A part may be left of a longer file.
          file.channel().truncate(found.get().length());
          file.publish();
          state.delete();
          return new Fetched(found.get(), transferred, result.seeded());
        }
        state.delete();
        console.note(
            result.sha256().isEmpty()
                ? id + " has changed; it is fetched from the beginning"
                : "the bytes have another SHA-256; they are fetched again, all of them");
        found = new Retries(console, () -> 0).run(() -> remote.find(id));
      }
      file.channel().truncate(0);
    }
    throw new ClientException(
        Reason.OTHER_BYTES,
        "%s was fetched %d times, and its SHA-256 was never right".formatted(id, MAX_BEGINS));
  }

  /** Near, one connection is as fast as the disk, and several get in each other's way. */
  private int connections(ArtifactId id) throws ClientException, InterruptedException {
    return isParallelAnyway || new Retries(console, () -> 0).run(() -> remote.isFar(id))
        ? parallel
        : 1;
  }

  /** The file that an artifact goes to if none is named, or a folder is. */
  static Path output(ArtifactId id, Optional<Path> named) {
    if (named.isEmpty()) {
      return Path.of(id.fileName());
    }
    return Files.isDirectory(named.get()) ? named.get().resolve(id.fileName()) : named.get();
  }
}
