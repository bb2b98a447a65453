package io.artifactserver.storage.local.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Two mappings at most, of files that count how often they are opened. */
abstract class MappedFilesFixture {
  static final Duration IDLE = Duration.ofMinutes(5);

  @TempDir Path folder;
  final AtomicLong now = new AtomicLong();
  final AtomicInteger opened = new AtomicInteger();
  final List<FileChannel> channels = new CopyOnWriteArrayList<>();
  final MappedFiles files = new MappedFiles(2, IDLE, now::get);

  @AfterEach
  void close() {
    files.close();
  }

  /** Through a socket: the kernel sends to nothing else. */
  static byte[] sent(FileRegion region, long offset, int length) throws IOException {
    try (ServerSocketChannel listener =
            ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        SocketChannel client = SocketChannel.open(listener.getLocalAddress());
        SocketChannel server = listener.accept()) {
      assertThat(region.transferTo(offset, length, server)).isEqualTo(length);
      server.shutdownOutput();
      return client.socket().getInputStream().readAllBytes();
    }
  }

  static byte[] bytes(int from, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (from + i);
    }
    return bytes;
  }

  FileRegion region(String key, ByteRange range) throws StorageException {
    return files.region(key, range, new CountedFile(folder.resolve(key)));
  }

  /** 256 bytes, each its own position. */
  final class CountedFile implements MappableFile {
    private final Path path;

    CountedFile(Path path) {
      this.path = path;
    }

    @Override
    public FileChannel openForMapping() throws StorageException {
      opened.incrementAndGet();
      try {
        if (!Files.exists(path)) {
          byte[] content = new byte[256];
          for (int i = 0; i < content.length; i++) {
            content[i] = (byte) i;
          }
          Files.write(path, content);
        }
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        channels.add(channel);
        return channel;
      } catch (IOException e) {
        throw unavailable(e);
      }
    }

    @Override
    public StorageException unavailable(IOException cause) {
      return new StorageException.StorageUnavailable("test", String.valueOf(cause), cause);
    }
  }
}
