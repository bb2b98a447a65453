package io.artifactserver.benchmarks;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.derive.ChunkIndex;
import io.artifactserver.core.derive.Derivation;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.digest.MultiDigester;
import io.artifactserver.storage.delta.CasyncIndexForm;
import io.artifactserver.storage.delta.Chunker;
import io.artifactserver.storage.delta.Md4;
import io.artifactserver.storage.delta.ZsyncForm;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of an artifact's update forms beside the digests of the same bytes, and what a request
 * for a chunk costs beside them.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class UpdateFormsBenchmark {
  private static final int LENGTH = 4 << 20;

  private static final int CHUNK = 64 * 1024;

  /** Bytes that the chunker may look back at. */
  private static final int WINDOW = 48;

  private static final int ZSYNC_BLOCK = 2048;

  /** A file of 800 MB has as many. */
  private static final int CHUNKS = 12_000;

  private final byte[] bytes = new byte[WINDOW + LENGTH];
  private final Md4 md4 = new Md4();
  private final ChunkIndex index;
  private int wanted;

  public UpdateFormsBenchmark() {
    Random random = new Random(1);
    random.nextBytes(bytes);
    long[] ends = new long[CHUNKS];
    for (int i = 0; i < CHUNKS; i++) {
      ends[i] = (i + 1L) * CHUNK;
    }
    byte[] ids = new byte[CHUNKS * ChunkIndex.ID_LENGTH];
    random.nextBytes(ids);
    index = ChunkIndex.of(ends, ids);
  }

  /** The yardstick: 4 MiB. */
  @Benchmark
  public byte[] sha256() {
    return sha256(LENGTH);
  }

  /** The yardstick: a chunk. */
  @Benchmark
  public byte[] sha256OfChunk() {
    return sha256(CHUNK);
  }

  /** Where casync cuts 4 MiB. */
  @Benchmark
  public int chunker() {
    return cuts();
  }

  /** zsync's strong checksums of 4 MiB. */
  @Benchmark
  public int md4() {
    return strongSums();
  }

  /** A chunk of 12,000, by its id. */
  @Benchmark
  public Optional<ChunkIndex.Chunk> find() {
    wanted = (wanted + 7_919) % CHUNKS;
    byte[] id = new byte[ChunkIndex.ID_LENGTH];
    index.chunk(wanted).id().get(0, id);
    return find(index, id);
  }

  /** The digests that an upload of 4 MiB computes, on one thread. */
  @Benchmark
  public Digests digests() {
    MultiDigester digester = new MultiDigester(Runnable::run);
    digester.update(ByteBuffer.wrap(bytes, WINDOW, LENGTH)).join();
    return digester.digests();
  }

  /** Index and control file of 4 MiB. */
  @Benchmark
  public long forms() throws StorageException {
    return derive();
  }

  /** The chunker under test; returns how many chunks there are. */
  protected int cuts() {
    Chunker chunker = new Chunker();
    int chunks = 0;
    int at = WINDOW;
    while (at >= 0 && at < bytes.length) {
      at = chunker.cut(bytes, at, bytes.length);
      chunks++;
    }
    return chunks;
  }

  /** The digest under test. */
  protected int strongSums() {
    int sum = 0;
    for (int at = WINDOW; at < bytes.length; at += ZSYNC_BLOCK) {
      sum += md4.digest(bytes, at, ZSYNC_BLOCK)[0];
    }
    return sum;
  }

  /** The lookup under test. */
  protected Optional<ChunkIndex.Chunk> find(ChunkIndex chunks, byte[] id) {
    return chunks.find(id);
  }

  /** The derivation under test; returns the length of both forms. */
  protected long derive() throws StorageException {
    long[] written = new long[1];
    Derivation.Sink sink = piece -> written[0] += piece.remaining();
    List<Derivation> derivations =
        List.of(new CasyncIndexForm().begin(LENGTH, sink), new ZsyncForm().begin(LENGTH, sink));
    for (Derivation derivation : derivations) {
      derivation.update(ByteBuffer.wrap(bytes, WINDOW, LENGTH));
      derivation.finish();
    }
    return written[0];
  }

  private byte[] sha256(int length) {
    MessageDigest digest = DigestAlgorithm.SHA_256.newMessageDigest();
    digest.update(bytes, WINDOW, length);
    return digest.digest();
  }
}
