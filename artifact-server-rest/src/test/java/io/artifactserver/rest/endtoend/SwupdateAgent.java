package io.artifactserver.rest.endtoend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** SWUpdate as a daemon, which has processes of its own. */
final class SwupdateAgent implements AutoCloseable {
  private final Path log;
  private final Process process;

  /**
   * Starts it.
   *
   * @param folder for its sockets, which other instances have elsewhere, and its log
   * @param around what is to run the program; empty for nothing
   * @param program and its options
   */
  SwupdateAgent(Client client, Path folder, List<String> around, List<String> program)
      throws IOException {
    log = folder.resolve("swupdate.log");
    List<String> command = new ArrayList<>(around);
    // On a busy machine SWUpdate before 2024.05 dies of SIGPIPE: it tells a thread of its own its
    // status, and that waits for no longer than 100 ms (its commits fec9e413 and da48265a).
    command.addAll(List.of("env", "--ignore-signal=PIPE", program.getFirst(), "-v"));
    command.addAll(program.subList(1, program.size()));
    ProcessBuilder builder = client.builder(command.toArray(String[]::new));
    builder.environment().put("TMPDIR", folder.toString());
    process =
        builder
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
  }

  @Override
  public void close() throws IOException {
    List<ProcessHandle> all =
        Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(each -> each.onExit().join());
    System.err.println(Files.readString(log));
  }
}
