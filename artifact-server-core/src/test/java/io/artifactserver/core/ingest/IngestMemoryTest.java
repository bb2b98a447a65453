package io.artifactserver.core.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.ForwardingBlobStore;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.limit.InMemoryQuotaStore;
import io.artifactserver.core.limit.QuotaLedger;
import io.artifactserver.core.release.InMemoryChannelStore;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class IngestMemoryTest {
  private final InMemoryArtifactCatalog catalog = new InMemoryArtifactCatalog();

  @Test
  void doesNotGrowWithTheBody() throws Exception {
    catalog.createRepository("edge", false, false);
    allocatedBy(1 << 20, "warm-up");
    long small = allocatedBy(4L << 20, "small");
    long large = allocatedBy(64L << 20, "large");
    // The digests run on this thread, so theirs is counted: a few futures a buffer, no bytes.
    assertThat(small).isLessThan(4L * Reading.BUFFER_LENGTH);
    assertThat(large - small).isLessThan((60L << 20) / 100);
  }

  private long allocatedBy(long length, String path) throws Exception {
    ArtifactIngest ingest =
        new ArtifactIngest(
            catalog,
            catalog,
            BlobStores.of(new DiscardingBlobStore()),
            new Quota(Long.MAX_VALUE, Long.MAX_VALUE, 0),
            new QuotaLedger(new InMemoryQuotaStore()),
            Runnable::run,
            () -> {},
            InMemoryChannelStore.book(catalog));
    IngestRequest request =
        new IngestRequest(
            new ArtifactId("edge", path), "application/octet-stream", length, List.of());
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    ingest.ingest(request, new GeneratedInputStream(length));
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  /** As many bytes as asked for, made while they are read. */
  private static final class GeneratedInputStream extends InputStream {
    private long remaining;

    GeneratedInputStream(long length) {
      remaining = length;
    }

    @Override
    public int read() {
      return remaining-- > 0 ? 1 : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      Objects.checkFromIndexSize(offset, length, target.length);
      if (remaining == 0) {
        return -1;
      }
      int n = (int) Math.min(length, remaining);
      Arrays.fill(target, offset, offset + n, (byte) remaining);
      remaining -= n;
      return n;
    }
  }

  /** Takes everything and keeps nothing. */
  private static final class DiscardingBlobStore extends ForwardingBlobStore {
    DiscardingBlobStore() {
      super(new InMemoryBlobStore());
    }

    @Override
    public BlobUpload begin(String key) {
      return new BlobUpload() {
        private long length;

        @Override
        public String key() {
          return key;
        }

        @Override
        public void write(ByteBuffer bytes) {
          length += bytes.remaining();
          bytes.position(bytes.limit());
        }

        @Override
        public BlobRef commit() {
          return new BlobRef(key, length);
        }

        @Override
        public byte[] checkpoint() {
          return new byte[0];
        }

        @Override
        public void force() {}

        @Override
        public void leave() {}

        @Override
        public void close() {}
      };
    }
  }
}
