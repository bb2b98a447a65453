package io.artifactserver.benchmarks.results;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The machine of a measurement. Immutable. */
public record Machine(
    int cores,
    String processor,
    long memoryBytes,
    String kernel,
    String distribution,
    String java) {
  /** The kernel's word for a limit that is not set. */
  private static final String NO_LIMIT = "4294967295";

  /** This one. I/O. */
  public static Machine here() {
    String memory = field("/proc/meminfo", "MemTotal", ":").replaceAll("\\D", "");
    return new Machine(
        Runtime.getRuntime().availableProcessors(),
        field("/proc/cpuinfo", "model name", ":"),
        memory.isEmpty() ? 0 : Long.parseLong(memory) * 1024,
        describeKernel(),
        field("/etc/os-release", "PRETTY_NAME", "=").replace("\"", ""),
        System.getProperty("java.vendor") + " " + System.getProperty("java.runtime.version"));
  }

  /**
   * With the settings that decide how a socket is sent to: how much a slow reader's takes at once,
   * if that is limited, and whether packets are paced, which costs who holds them back. And whether
   * a firewall or Docker's NAT keeps track of connections, which costs each packet the more, the
   * faster it is served.
   */
  private static String describeKernel() {
    String unsent = tcp("notsent_lowat");
    return "Linux %s, tcp_congestion_control %s%s%s"
        .formatted(
            System.getProperty("os.version"),
            tcp("congestion_control"),
            unsent.equals(NO_LIMIT) ? "" : ", tcp_notsent_lowat " + unsent,
            ConnectionTracking.isInUse() ? ", nf_conntrack in use" : "");
  }

  /** A setting of the kernel; empty if it has none of that name. */
  static String tcp(String setting) {
    return lines("/proc/sys/net/ipv4/tcp_" + setting).stream().findFirst().orElse("");
  }

  /** The first value of a field; empty if the file has none. */
  private static String field(String file, String name, String separator) {
    return lines(file).stream()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(line.indexOf(separator) + 1).strip())
        .findFirst()
        .orElse("");
  }

  /** Not {@code readString}: it begins with one byte, and a number there must be read at once. */
  static List<String> lines(String file) {
    try {
      return Files.readAllLines(Path.of(file));
    } catch (IOException e) {
      return List.of();
    }
  }
}
