package io.artifactserver.rest.command.doctor;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.stream.Collectors;

/**
 * The limits of a Java process, in bytes.
 *
 * @param memory of the machine, or of the container if it has less
 * @param maxHeap to which the heap may grow
 * @param maxDirect to which buffers outside of the heap may grow
 */
record VirtualMachine(String version, String collector, long memory, long maxHeap, long maxDirect) {
  /** This process, which was started with the options that the server is started with. */
  static VirtualMachine current() {
    HotSpotDiagnosticMXBean options =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    long maxHeap = Runtime.getRuntime().maxMemory();
    long maxDirect = Long.parseLong(options.getVMOption("MaxDirectMemorySize").getValue());
    return new VirtualMachine(
        Runtime.version().toString(),
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .map(GarbageCollectorMXBean::getName)
            .collect(Collectors.joining(", ")),
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize(),
        maxHeap,
        maxDirect == 0 ? maxHeap : maxDirect);
  }
}
