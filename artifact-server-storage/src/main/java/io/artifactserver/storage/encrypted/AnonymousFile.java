package io.artifactserver.storage.encrypted;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Files that are memory and have no name in any file system: nobody else finds one, and nothing is
 * left of it when its last channel and mapping are closed, however the process ends. See
 * memfd_create(2): Linux only.
 */
final class AnonymousFile {
  /** {@code MFD_CLOEXEC}. */
  private static final int CLOSE_ON_EXEC = 1;

  /** {@code MFD_NOEXEC_SEAL}, which hardened systems ask for and those before Linux 6.3 refuse. */
  private static final int NOT_EXECUTABLE = 8;

  private AnonymousFile() {}

  /**
   * Makes an empty one, for reading and writing.
   *
   * @throws IOException if the system has none
   */
  static FileChannel create() throws IOException {
    int descriptor = descriptor(CLOSE_ON_EXEC | NOT_EXECUTABLE);
    if (descriptor < 0) {
      descriptor = descriptor(CLOSE_ON_EXEC);
    }
    if (descriptor < 0) {
      throw new IOException("the system gives no anonymous memory (memfd_create)");
    }
    try {
      return FileChannel.open(
          Path.of("/proc/self/fd/" + descriptor),
          StandardOpenOption.READ,
          StandardOpenOption.WRITE);
    } finally {
      close(descriptor);
    }
  }

  private static int descriptor(int flags) throws IOException {
    MethodHandle create =
        function(
            "memfd_create",
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    try (Arena arena = Arena.ofConfined()) {
      return (int) create.invokeExact(arena.allocateFrom("artifact"), flags);
    } catch (Throwable e) {
      throw new IOException("memfd_create(2) cannot be called", e);
    }
  }

  private static void close(int descriptor) throws IOException {
    MethodHandle close =
        function("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    try {
      int _ = (int) close.invokeExact(descriptor);
    } catch (Throwable e) {
      throw new IOException("close(2) cannot be called", e);
    }
  }

  @SuppressWarnings("restricted")
  private static MethodHandle function(String name, FunctionDescriptor type) throws IOException {
    Linker linker = Linker.nativeLinker();
    SymbolLookup library = linker.defaultLookup();
    MemorySegment address =
        library.find(name).orElseThrow(() -> new IOException("the system has no " + name));
    return linker.downcallHandle(address, type);
  }
}
