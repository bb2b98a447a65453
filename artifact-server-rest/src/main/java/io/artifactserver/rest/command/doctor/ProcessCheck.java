package io.artifactserver.rest.command.doctor;

import java.util.List;
import java.util.Optional;

/**
 * Checks the limits of the server's process: descriptors and memory. Immutable, thread-safe.
 *
 * @param connections that are expected at a time
 */
record ProcessCheck(Host host, VirtualMachine virtualMachine, int connections) {
  /** Jars, mapped files, the database's connections, uploads. */
  private static final long OWN_DESCRIPTORS = 1024;

  /** Bytes that Java needs beside heap and buffers: classes, compiled code, threads. */
  private static final long OWN_MEMORY = 200L << 20;

  List<Finding> findings() {
    return List.of(descriptors(), memory(), java());
  }

  /** Java raises its soft limit to the hard one at its start, so both are the same here. */
  private Finding descriptors() {
    String name = "open files";
    Optional<String> line =
        host.text("proc/self/limits").stream()
            .flatMap(String::lines)
            .filter(limit -> limit.startsWith("Max open files"))
            .findFirst();
    if (line.isEmpty()) {
      return Finding.warn(name, "unknown", "/proc/self/limits cannot be read", "ulimit -Hn");
    }
    String[] words = line.get().strip().split(" +");
    String soft = words[3];
    String hard = words[4];
    long limit = hard.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(hard);
    long needed = connections + OWN_DESCRIPTORS;
    String value = "soft %s, hard %s".formatted(soft, hard);
    String meaning = "%d connections need %d".formatted(connections, needed);
    if (limit >= needed) {
      return Finding.ok(name, value, meaning);
    }
    String fix =
        "ulimit -Hn %d    # or LimitNOFILE=%1$d in the systemd unit, ulimits: {nofile: %1$d} in compose"
            .formatted(needed);
    return limit < OWN_DESCRIPTORS
        ? Finding.fail(name, value, meaning + "; the server alone, up to 1024", fix)
        : Finding.warn(name, value, meaning, fix);
  }

  private Finding memory() {
    String name = "memory";
    long needed = virtualMachine.maxHeap() + virtualMachine.maxDirect() + OWN_MEMORY;
    long left = virtualMachine.memory() - needed;
    String value =
        "%s; heap %s, buffers %s"
            .formatted(
                Amount.room(virtualMachine.memory()),
                Amount.room(virtualMachine.maxHeap()),
                Amount.room(virtualMachine.maxDirect()));
    String fix =
        host.isContainer()
            ? "SERVER_MEMORY=%dm docker compose up --detach".formatted((needed * 2) >> 20)
            : "JAVA_OPTS=-Xmx%dm ./artifact-server"
                .formatted(Math.max(96L << 20, virtualMachine.memory() / 4) >> 20);
    if (left < 0) {
      return Finding.fail(
          name,
          value,
          "the process may grow to %s and would be killed".formatted(Amount.room(needed)),
          fix);
    }
    String meaning =
        "at least %s are left to the page cache, from which hot artifacts are sent"
            .formatted(Amount.room(left));
    return left < virtualMachine.memory() / 4
        ? Finding.warn(name, value, meaning, fix)
        : Finding.ok(name, value, meaning);
  }

  private Finding java() {
    return Finding.ok(
        "java", virtualMachine.version(), "collectors: " + virtualMachine.collector());
  }
}
