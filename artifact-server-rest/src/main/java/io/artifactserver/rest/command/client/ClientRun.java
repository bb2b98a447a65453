package io.artifactserver.rest.command.client;

import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The frame of a command: settings before, the exit status behind. */
public final class ClientRun {
  /** Set by the launcher if standard error is a terminal. */
  private static final String COLUMNS = "artifact-server.columns";

  private static final int MAX_PARALLEL = 32;

  private ClientRun() {}

  /** The work of a command with its server. */
  @FunctionalInterface
  interface Work {
    void run(Settings settings, Remote remote, Console console)
        throws ClientException, InterruptedException;
  }

  /**
   * Prints a line of JSON for a command that failed before it began, if it is one of the client's
   * and its arguments ask for JSON.
   */
  public static void failed(CommandLine command, List<String> arguments, int exit, String message) {
    boolean isClient =
        command.getCommand() instanceof PushCommand || command.getCommand() instanceof PullCommand;
    if (isClient && arguments.contains("--json")) {
      new Outcome.Failure(command.getCommandName(), exit, message).print(command.getOut());
    }
  }

  /** Returns the exit status. */
  static int run(
      CommandSpec spec, ClientOptions options, Map<String, String> environment, Work work)
      throws InterruptedException {
    if (options.parallel() < 1 || options.parallel() > MAX_PARALLEL) {
      throw new ParameterException(
          spec.commandLine(),
          "--parallel is 1 to %d, not %d".formatted(MAX_PARALLEL, options.parallel()));
    }
    Console console =
        new Console(
            spec.commandLine().getOut(),
            spec.commandLine().getErr(),
            spec.qualifiedName(),
            Integer.getInteger(COLUMNS, 0),
            options);
    try {
      Settings settings = Settings.of(options, environment, console::note);
      try (Remote remote = new Remote(settings);
          Interruption _ =
              new Interruption(() -> console.note("stopped; the same command goes on from here"))) {
        work.run(settings, remote, console);
      }
      return 0;
    } catch (ClientException e) {
      int exit = e.reason().exitStatus();
      console.failed(new Outcome.Failure(spec.name(), exit, String.valueOf(e.getMessage())));
      return exit;
    }
  }
}
