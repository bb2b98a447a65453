package io.artifactserver.storage.delta;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.ForwardingBlobStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.derive.ArtifactDerivation;
import io.artifactserver.core.derive.ChunkPack;
import io.artifactserver.core.derive.Derivation;
import io.artifactserver.core.derive.DerivationRules;
import io.artifactserver.core.derive.Derived;
import io.artifactserver.core.derive.DerivedForm;
import io.artifactserver.core.derive.InMemoryDerivedRegister;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.file.FileBlobStore;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/** A process of its own that derives all forms of one large artifact. */
final class SmallDerivation {
  /** Said when everything was derived, before what it took. */
  static final String DONE = "kilobytes taken by a derivation: ";

  /** The argument that has it keep a quarter of what it reads. */
  static final String HOARDING = "hoarding";

  private static final String REPOSITORY = "edge";
  private static final int WARM_UP_LENGTH = 20_000_000;
  private static final int FORMS = 3;

  private SmallDerivation() {}

  /** Takes a folder, the artifact's length, and perhaps {@link #HOARDING}. */
  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    List<DerivedForm> forms =
        new ArrayList<>(List.of(new CasyncIndexForm(), new ZsyncForm(), new CasyncPackForm()));
    if (List.of(arguments).contains(HOARDING)) {
      forms.add(new Hoard());
    }
    try (MappedFiles mappedFiles = new MappedFiles(10, Duration.ofMinutes(1))) {
      FileBlobStore files = FileBlobStore.open(folder, mappedFiles);
      // The process has taken what it needs for itself by then.
      derive(files, forms, WARM_UP_LENGTH);
      long before = memory();
      long most = derive(files, forms, Long.parseLong(arguments[1]));
      System.out.println(DONE + (most - before));
    }
  }

  /** Returns the most memory that the process had meanwhile. */
  private static long derive(FileBlobStore files, List<DerivedForm> forms, long length)
      throws Exception {
    GeneratedBlob blob = new GeneratedBlob(new BlobRef(BlobRef.newKey(), length));
    InMemoryArtifactCatalog catalog = new InMemoryArtifactCatalog();
    InMemoryDerivedRegister register = new InMemoryDerivedRegister(catalog, REPOSITORY);
    catalog.createRepository(REPOSITORY, true, false);
    ArtifactId id = new ArtifactId(REPOSITORY, "image");
    catalog.add(id, "text/plain", blob.ref(), digests(blob));
    BlobStores stores =
        BlobStores.of(
            new ForwardingBlobStore(files) {
              @Override
              public Blob blob(BlobRef ref) {
                return ref.equals(blob.ref()) ? blob : super.blob(ref);
              }
            });
    new ArtifactDerivation(
            new DerivationRules(forms, 1, length, register),
            register,
            catalog,
            stores,
            1,
            InstantSource.system())
        .run();
    Artifact artifact = catalog.find(id).orElseThrow();
    long stored =
        register.of(artifact.blob()).stream().filter(Derived.Stored.class::isInstance).count();
    if (stored < FORMS) {
      throw new IllegalStateException("Only " + register.of(artifact.blob()));
    }
    return blob.most;
  }

  private static Digests digests(GeneratedBlob blob) {
    MessageDigest sha256 = DigestAlgorithm.SHA_256.newMessageDigest();
    ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
    try (RangeReader reader = blob.open(ByteRange.whole(blob.length()))) {
      while (reader.read(buffer) >= 0) {
        sha256.update(buffer.flip());
        buffer.clear();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    DigestAlgorithm algorithm = DigestAlgorithm.SHA_256;
    return new Digests(Map.of(algorithm, Digest.of(algorithm, sha256.digest())));
  }

  /** Kilobytes that are the process's own: heap, buffers and what native code allocated. */
  private static long memory() {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith("RssAnon:"))
          .flatMapToLong(line -> LongStream.of(Long.parseLong(line.replaceAll("\\D", ""))))
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Text of one random bit a byte, made as it is read, never the same again. */
  private static final class GeneratedBlob implements Blob {
    private static final int BLOCK = 64 * 1024;
    private static final int MEASURED_EVERY = 256;
    private static final long[] LETTERS = letters();

    private final BlobRef ref;
    private long most;

    GeneratedBlob(BlobRef ref) {
      this.ref = ref;
    }

    @Override
    public BlobRef ref() {
      return ref;
    }

    @Override
    public RangeReader open(ByteRange range) {
      return new RangeReader() {
        private final ByteBuffer block = ByteBuffer.allocate(BLOCK);
        private long position = range.position();

        @Override
        public int read(ByteBuffer target) {
          long left = range.end() - position;
          if (left == 0) {
            return -1;
          }
          int offset = (int) (position % BLOCK);
          fill(block.clear(), position / BLOCK);
          int length =
              (int) Math.min(left, Math.min(target.remaining(), block.capacity() - offset));
          target.put(block.slice(offset, length));
          position += length;
          return length;
        }

        @Override
        public Wait waitToRead(int length) {
          return Wait.NONE;
        }

        @Override
        public boolean isOpen() {
          return true;
        }

        @Override
        public void close() {}
      };
    }

    private void fill(ByteBuffer block, long number) {
      if (number % MEASURED_EVERY == 0) {
        most = Math.max(most, memory());
      }
      SplittableRandom random = new SplittableRandom(number);
      while (block.hasRemaining()) {
        long bits = random.nextLong();
        for (int i = 0; i < Long.BYTES; i++) {
          block.putLong(LETTERS[(int) (bits >>> (Byte.SIZE * i)) & 0xff]);
        }
      }
    }

    @Override
    public Wait waitToOpen() {
      return Wait.NONE;
    }

    @Override
    public Optional<FileRegion> fileRegion(ByteRange range) {
      return Optional.empty();
    }

    /** Eight of them for each byte. */
    private static long[] letters() {
      long[] letters = new long[256];
      for (int i = 0; i < letters.length; i++) {
        for (int bit = 0; bit < Byte.SIZE; bit++) {
          letters[i] |= (long) ('a' + (i >> bit & 1)) << (Byte.SIZE * bit);
        }
      }
      return letters;
    }
  }

  /** A form that is what the test is there to catch. */
  private record Hoard() implements DerivedForm.Packed {
    private static final int SHARE = 4;

    @Override
    public String name() {
      return "hoard";
    }

    @Override
    public boolean suits(List<ByteBuffer> sample) {
      return true;
    }

    @Override
    public Derivation begin(long length, Derivation.Sink sink) {
      List<byte[]> kept = new ArrayList<>();
      return new Derivation() {
        @Override
        public void update(ByteBuffer bytes) {
          kept.add(new byte[bytes.remaining() / SHARE]);
        }

        @Override
        public void finish() throws StorageException {
          sink.write(ByteBuffer.wrap(kept.getFirst()));
        }
      };
    }

    @Override
    public int tableLength(int chunks) {
      throw new UnsupportedOperationException();
    }

    @Override
    public ChunkPack pack(ByteBuffer table) {
      throw new UnsupportedOperationException();
    }
  }
}
