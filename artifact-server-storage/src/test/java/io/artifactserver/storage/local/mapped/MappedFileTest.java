package io.artifactserver.storage.local.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.StorageException;
import java.io.IOException;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedFileTest {
  private static final AddressLayout POINTER = ValueLayout.ADDRESS;

  @TempDir private Path folder;

  /** As Jetty may, in a late write: the last lease ends while native code still reads. */
  @Test
  void whatCannotBeUnmappedIsClosedAllTheSame() throws Throwable {
    OpenedFile opened = new OpenedFile(Files.write(folder.resolve("a"), new byte[64]));
    MappedFile file = MappedFile.map("a", opened, new Semaphore(1), System::nanoTime);
    assertThat(file.lease()).isTrue();
    file.retire();
    AtomicReference<RuntimeException> thrown = new AtomicReference<>();
    readByNativeCode(
        file.bytes(),
        () -> {
          try {
            assertThat(file.release()).isTrue();
          } catch (RuntimeException e) {
            // Thrown into native code, it would end the process.
            thrown.set(e);
          }
        });
    assertThat(thrown).hasNullValue();
    assertThat(opened.channel().isOpen()).isFalse();
    assertThat(opened.isUnmapped).isTrue();
    assertThat(file.lease()).isFalse();
    assertThat(file.closeIfUnused()).isTrue();
  }

  /** Calls bsearch(3), which reads the segment and calls back. */
  @SuppressWarnings("restricted")
  private static void readByNativeCode(MemorySegment segment, Runnable meanwhile) throws Throwable {
    Linker linker = Linker.nativeLinker();
    MethodHandle search =
        linker.downcallHandle(
            linker.defaultLookup().find("bsearch").orElseThrow(),
            FunctionDescriptor.of(
                POINTER, POINTER, POINTER, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, POINTER));
    MethodHandle comparison =
        MethodHandles.lookup()
            .findVirtual(
                Comparison.class,
                "compare",
                MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class))
            .bindTo(new Comparison(meanwhile));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment function =
          linker.upcallStub(
              comparison, FunctionDescriptor.of(ValueLayout.JAVA_INT, POINTER, POINTER), arena);
      MemorySegment key = arena.allocate(1);
      MemorySegment _ = (MemorySegment) search.invokeExact(key, segment, 1L, 1L, function);
    }
  }

  private record Comparison(Runnable act) {
    @SuppressWarnings("UnusedMethod") // Native code calls it.
    int compare(MemorySegment key, MemorySegment element) {
      act.run();
      return key.address() == element.address() ? 1 : 0;
    }
  }

  private static final class OpenedFile implements MappableFile {
    private final Path path;
    private final FileChannel channel;
    private boolean isUnmapped;

    OpenedFile(Path path) throws IOException {
      this.path = path;
      this.channel = FileChannel.open(path, StandardOpenOption.READ);
    }

    FileChannel channel() {
      return channel;
    }

    @Override
    public FileChannel openForMapping() {
      return channel;
    }

    @Override
    public StorageException unavailable(IOException cause) {
      return new StorageException.StorageUnavailable("test", path + ": " + cause, cause);
    }

    @Override
    public void unmapped() {
      isUnmapped = true;
    }
  }
}
