package io.artifactserver.rest.connection;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/**
 * How much of the memory for buffers outside the heap is used. A client that takes nothing keeps a
 * buffer or two of it: thousands of them could keep all. Thread-safe.
 */
final class DirectMemory {
  private static final String OPTION = "MaxDirectMemorySize";

  private final BufferPoolMXBean pool =
      ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
          .filter(bean -> bean.getName().equals("direct"))
          .findFirst()
          .orElseThrow();
  private final long max = max();

  /**
   * The used part, from 0 to 1. Takes microseconds.
   *
   * @param idle bytes of buffers that are kept and not in use
   */
  double usedShare(long idle) {
    return (double) (pool.getMemoryUsed() - idle) / max;
  }

  private static long max() {
    HotSpotDiagnosticMXBean options =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    long set = options == null ? 0 : Long.parseLong(options.getVMOption(OPTION).getValue());
    // As Java does where nothing is set.
    return set > 0 ? set : Runtime.getRuntime().maxMemory();
  }
}
