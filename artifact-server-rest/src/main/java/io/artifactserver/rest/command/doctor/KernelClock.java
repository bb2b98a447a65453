package io.artifactserver.rest.command.doctor;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * The kernel's account of its clock.
 *
 * @param synchronised whether a time service disciplines it
 * @param maxErrorMicros at most that far from the truth, in microseconds; meaningless if not
 *     synchronised
 */
record KernelClock(boolean synchronised, long maxErrorMicros) {
  /** Larger than {@code struct timex} is anywhere. */
  private static final long LENGTH = 512;

  /** {@code maxerror} of {@code struct timex} on 64-bit Linux. */
  private static final long MAX_ERROR = 24;

  /** {@code TIME_ERROR}: not synchronised. */
  private static final int ERROR = 5;

  /** Asks the kernel, changing nothing; see adjtimex(2). Empty if it does not answer. */
  @SuppressWarnings("restricted")
  static Optional<KernelClock> read() {
    Linker linker = Linker.nativeLinker();
    Optional<MemorySegment> function = linker.defaultLookup().find("adjtimex");
    if (function.isEmpty()) {
      return Optional.empty();
    }
    MethodHandle adjtimex =
        linker.downcallHandle(
            function.get(), FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment timex = arena.allocate(LENGTH, Long.BYTES);
      int state = (int) adjtimex.invokeExact(timex);
      return state < 0
          ? Optional.empty()
          : Optional.of(
              new KernelClock(state != ERROR, timex.get(ValueLayout.JAVA_LONG, MAX_ERROR)));
    } catch (Throwable e) {
      throw new IllegalStateException("adjtimex(2) cannot be called", e);
    }
  }
}
