package io.artifactserver.benchmarks.load;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's figures of a server: all processes below one, read from {@code /proc}. Those of an
 * embedded PostgreSQL are told apart. Processes that ended are not counted any more, so the servers
 * are configured to keep theirs.
 *
 * @param proc {@code /proc}, or a stand-in
 * @param root the server's first process; 0 if it is not on this machine, and everything is then 0
 */
record ServerProbe(Path proc, long root) {
  /** Ticks a second in {@code /proc/PID/stat}: fixed by Linux's interface. */
  private static final double TICKS = 100;

  private static final String DATABASE = "postgres";

  /** Of a server that runs elsewhere. */
  static final ServerProbe UNKNOWN = new ServerProbe(Path.of("/proc"), 0);

  static ServerProbe of(long root) {
    return new ServerProbe(Path.of("/proc"), root);
  }

  /**
   * Processor time that everything on the machine has used, in seconds, as the first line of {@code
   * /proc/stat} has it.
   */
  static double machineCpuSeconds() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
      return busySeconds(lines.findFirst().orElseThrow());
    } catch (IOException e) {
      throw new IllegalStateException("Cannot read /proc/stat", e);
    }
  }

  /** Everything but idle and waiting for a disk: proc(5), fields 4 and 5. Guests are in user. */
  static double busySeconds(String line) {
    String[] fields = line.strip().split("\\s+");
    long ticks = 0;
    for (int i = 1; i <= 8 && i < fields.length; i++) {
      ticks += i == 4 || i == 5 ? 0 : Long.parseLong(fields[i]);
    }
    return ticks / TICKS;
  }

  /** Processor time of this process and of its children that have ended; seconds. */
  static double ownCpuSeconds() {
    ServerProbe own = of(ProcessHandle.current().pid());
    Stat stat = own.read(own.root, "stat").map(Stat::parse).orElseThrow();
    return (stat.ticks() + stat.childrenTicks()) / TICKS;
  }

  /**
   * One look.
   *
   * @param cpuSeconds in user and kernel mode since the processes began
   * @param databaseCpuSeconds the same of the embedded database
   */
  record Cpu(double cpuSeconds, double databaseCpuSeconds) {}

  /**
   * One process, as {@code /proc/PID/stat} has it.
   *
   * @param childrenTicks of children that it has waited for
   */
  record Stat(long pid, String command, long parent, long ticks, long childrenTicks) {

    /** Understands the line. The command is in parentheses and may contain anything. */
    static Stat parse(String line) {
      int open = line.indexOf('(');
      int close = line.lastIndexOf(')');
      String[] fields = line.substring(close + 2).strip().split(" ");
      // The state, field 3 in proc(5), is the first after the command.
      return new Stat(
          Long.parseLong(line.substring(0, open).strip()),
          line.substring(open + 1, close),
          Long.parseLong(fields[1]),
          Long.parseLong(fields[11]) + Long.parseLong(fields[12]),
          Long.parseLong(fields[13]) + Long.parseLong(fields[14]));
    }
  }

  /** Whether it runs, or is not known. */
  boolean isAlive() {
    return root == 0 || ProcessHandle.of(root).map(ProcessHandle::isAlive).orElse(false);
  }

  /** Looks at the processors' time. Costs one small file a process of the machine. */
  Cpu cpu() {
    long own = 0;
    long database = 0;
    for (Stat stat : processes()) {
      if (stat.command().equals(DATABASE)) {
        database += stat.ticks();
      } else {
        own += stat.ticks();
      }
    }
    return new Cpu(own / TICKS, database / TICKS);
  }

  /** {@code Pss_Anon} of all processes but the database's, in bytes. Walks their page tables. */
  long anonymousBytes() {
    long total = 0;
    for (Stat stat : processes()) {
      if (!stat.command().equals(DATABASE)) {
        total += read(stat.pid(), "smaps_rollup").map(ServerProbe::anonymousBytes).orElse(0L);
      }
    }
    return total;
  }

  /** Understands {@code smaps_rollup}. */
  static long anonymousBytes(String rollup) {
    return rollup
        .lines()
        .filter(line -> line.startsWith("Pss_Anon:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
        .sum();
  }

  /** The root and everything below it. */
  private List<Stat> processes() {
    if (root == 0) {
      return List.of();
    }
    Map<Long, Stat> all = new HashMap<>();
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(proc, "[0-9]*")) {
      for (Path folder : folders) {
        read(Long.parseLong(folder.getFileName().toString()), "stat")
            .map(Stat::parse)
            .ifPresent(stat -> all.put(stat.pid(), stat));
      }
    } catch (IOException e) {
      throw new IllegalStateException("Cannot read " + proc, e);
    }
    return all.values().stream().filter(stat -> descends(stat, all)).toList();
  }

  private boolean descends(Stat stat, Map<Long, Stat> all) {
    @Nullable Stat ancestor = stat;
    while (ancestor != null && ancestor.pid() != root) {
      ancestor = all.get(ancestor.parent());
    }
    return ancestor != null;
  }

  private Optional<String> read(long pid, String name) {
    try {
      return Optional.of(Files.readString(proc.resolve(Long.toString(pid)).resolve(name)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).contains("No such process")) {
        return Optional.empty();
      }
      throw new IllegalStateException("Cannot read /proc/%d/%s".formatted(pid, name), e);
    }
  }
}
