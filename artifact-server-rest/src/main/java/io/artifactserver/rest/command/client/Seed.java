package io.artifactserver.rest.command.client;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.derive.ChunkIndex;
import io.artifactserver.core.derive.Derivation;
import io.artifactserver.core.derive.DerivedForm;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.command.client.ClientException.Reason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Takes from an old version what it has of a new one. Both are cut into casync's chunks: the new
 * one by the index that the server has derived, the old one here, by the same code. What is missing
 * then is fetched by ranges of the artifact itself, in which neighbouring chunks are one request.
 */
final class Seed {
  private static final int BUFFER_LENGTH = 1 << 20;

  /** That of the longest artifact which has one, at chunks of half of their usual length. */
  private static final int MAX_INDEX = 24 << 20;

  private static final int MIN_CHUNK = 16 * 1024;

  /** Length of an entry of an index, and more than that of everything else in it. */
  private static final int ENTRY = 40;

  private static final int FRAME = 1024;

  private final Remote remote;
  private final Console console;
  private final ArtifactId id;
  private final Remote.Found found;

  Seed(Remote remote, Console console, ArtifactId id, Remote.Found found) {
    this.remote = remote;
    this.console = console;
    this.id = id;
    this.found = found;
  }

  /** Copies chunks to their places; those that are there already are left alone. */
  void copy(Path seed, FileChannel output, FetchedBytes fetched)
      throws ClientException, InterruptedException, IOException {
    if (fetched.count() == found.length()) {
      return;
    }
    DerivedForm.Chunked form =
        ServiceLoader.load(DerivedForm.Chunked.class)
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("This program has no chunks"));
    Optional<ChunkIndex> wanted = index(form);
    if (wanted.isEmpty()) {
      return;
    }
    try (FileChannel old = open(seed)) {
      ChunkIndex present = index(form, old, seed);
      ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH);
      for (int i = 0; i < wanted.get().count(); i++) {
        ChunkIndex.Chunk chunk = wanted.get().chunk(i);
        byte[] chunkId = new byte[ChunkIndex.ID_LENGTH];
        chunk.id().get(0, chunkId);
        Optional<ChunkIndex.Chunk> source = present.find(chunkId);
        if (source.isPresent()
            && source.get().range().length() == chunk.range().length()
            && !fetched.missing(chunk.range()).isEmpty()
            && copy(old, source.get().range().position(), output, chunk.range(), buffer)) {
          fetched.add(chunk.range());
        }
      }
    }
  }

  private static FileChannel open(Path seed) throws ClientException {
    try {
      return FileChannel.open(seed, StandardOpenOption.READ);
    } catch (IOException e) {
      throw new ClientException(
          Reason.ABSENT, "cannot read the seed %s: %s".formatted(seed, Remote.reason(e)));
    }
  }

  /** The index of the artifact, if the server has one. */
  private Optional<ChunkIndex> index(DerivedForm.Chunked form) throws InterruptedException {
    try {
      Optional<ChunkIndex> index =
          new Retries(console, () -> 0)
              .run(() -> download(form))
              .map(body -> form.index(ByteBuffer.wrap(body)))
              .filter(read -> read.length() == found.length());
      if (index.isPresent()) {
        return index;
      }
    } catch (IllegalArgumentException | ClientException e) {
      console.note(String.valueOf(e.getMessage()));
    }
    console.note("the server has no chunks of %s, so all of it is fetched".formatted(id));
    return Optional.empty();
  }

  /** The most bytes that the index of an artifact can have. */
  private static long indexBound(long length) {
    return FRAME + ENTRY * (length / MIN_CHUNK + 1);
  }

  private Optional<byte[]> download(DerivedForm.Chunked form)
      throws IOException, InterruptedException {
    ShortBody body = new ShortBody((int) Math.min(MAX_INDEX, indexBound(found.length())));
    HttpResponse<byte[]> answer =
        remote.transfer(
            remote.request(Remote.path(id) + form.suffix()).build(), _ -> body, body::count);
    if (answer.statusCode() == Answers.NOT_FOUND && !Answers.retryAfter(answer).isZero()) {
      throw new TransientException(
          "the server is still computing the chunks of " + id, Answers.retryAfter(answer));
    }
    return answer.statusCode() == Answers.OK ? Optional.of(answer.body()) : Optional.empty();
  }

  /** The index of the seed. */
  private ChunkIndex index(DerivedForm.Chunked form, FileChannel old, Path seed)
      throws IOException {
    ByteArrayOutputStream index = new ByteArrayOutputStream();
    AtomicLong position = new AtomicLong();
    try (Progress _ =
        Progress.ofTransfer(console, "chunks of " + seed, old.size(), position::get)) {
      Derivation derivation =
          form.begin(
              old.size(),
              bytes ->
                  index.write(
                      bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining()));
      ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH);
      while (old.read(buffer.clear(), position.get()) >= 0) {
        position.addAndGet(buffer.flip().remaining());
        derivation.update(buffer);
      }
      derivation.finish();
    } catch (StorageException e) {
      throw new IllegalStateException("Memory stores everything", e);
    }
    return form.index(ByteBuffer.wrap(index.toByteArray()));
  }

  /** Copies one chunk; false if the seed has become shorter. */
  private static boolean copy(
      FileChannel old, long position, FileChannel output, ByteRange range, ByteBuffer buffer)
      throws IOException {
    long done = 0;
    while (done < range.length()) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), range.length() - done));
      if (old.read(buffer, position + done) < 0) {
        return false;
      }
      buffer.flip();
      while (buffer.hasRemaining()) {
        done += output.write(buffer, range.position() + done);
      }
    }
    return true;
  }
}
