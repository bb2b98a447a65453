package io.artifactserver.rest.command;

import io.artifactserver.core.command.Command;
import io.artifactserver.rest.command.client.ClientRun;
import io.artifactserver.rest.command.client.Printable;
import io.artifactserver.rest.command.client.PullCommand;
import io.artifactserver.rest.command.client.PushCommand;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The program's command line. Every command has {@code --help}, reports an error in one line on
 * standard error, and exits with 0 if it did what it was asked to, 1 if it failed, and 2 if it did
 * not understand its arguments; the help of a command says what else there is. Stateless,
 * thread-safe.
 */
public final class Commands {
  private static final Set<String> HELP = Set.of("-h", "--help", "-V", "--version");

  private Commands() {}

  /** Whether the arguments ask for the server and not for a command or for help. */
  public static boolean serve(List<String> arguments) {
    return arguments.stream().noneMatch(HELP::contains)
        && (arguments.isEmpty()
            || arguments.getFirst().equals(ServeCommand.NAME)
            || arguments.getFirst().startsWith("--"));
  }

  /**
   * The commands that the arguments can mean: all, or only the client's that they name. To look for
   * the others opens every library of the server, which takes longer than many a download.
   */
  public static CommandLine line(List<String> arguments, Map<String, String> environment) {
    return switch (arguments.getFirst()) {
      case PushCommand.NAME -> program(new PushCommand(), environment);
      case PullCommand.NAME -> program(new PullCommand(), environment);
      default -> line(environment);
    };
  }

  private static CommandLine program(Command command, Map<String, String> environment) {
    CommandLine line = new CommandLine(new ArtifactServerCommand());
    line.addSubcommand(command);
    return configured(line, environment);
  }

  /** All commands, those of other modules among them. */
  public static CommandLine line(Map<String, String> environment) {
    CommandLine line = new CommandLine(new ArtifactServerCommand());
    line.addSubcommand(new ServeCommand());
    ServiceLoader.load(Command.class).forEach(line::addSubcommand);
    line.addSubcommand(new AutoComplete.GenerateCompletion());
    line.addSubcommand(new CommandLine.HelpCommand());
    return configured(line, environment);
  }

  /** One command. */
  public static CommandLine line(Command command, Map<String, String> environment) {
    return configured(new CommandLine(command), environment);
  }

  private static CommandLine configured(CommandLine line, Map<String, String> environment) {
    return line.setDefaultValueProvider(new EnvironmentDefaults(environment))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpAutoWidth(true)
        .setParameterExceptionHandler(Commands::misused)
        .setExecutionExceptionHandler(
            (e, command, parsed) -> failed(e, command, parsed.originalArgs()));
  }

  private static int misused(ParameterException e, String[] arguments) {
    CommandLine command = e.getCommandLine();
    PrintWriter errors = command.getErr();
    String message = String.valueOf(e.getMessage());
    errors.println(name(command) + ": " + printable(message));
    UnmatchedArgumentException.printSuggestions(e, errors);
    errors.println("\"" + name(command) + " --help\" lists its options.");
    int exit = command.getCommandSpec().exitCodeOnInvalidInput();
    ClientRun.failed(command, List.of(arguments), exit, message);
    return exit;
  }

  private static int failed(Exception e, CommandLine command, List<String> arguments) {
    if (e instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    // Our own messages name the thing and the remedy; others need their type to be understood.
    boolean isOurs = e.getClass().getName().startsWith("io.artifactserver.");
    String message = isOurs ? String.valueOf(e.getMessage()) : e.toString();
    command.getErr().println(name(command) + ": " + printable(message));
    int exit = command.getCommandSpec().exitCodeOnExecutionException();
    ClientRun.failed(command, arguments, exit, message);
    return exit;
  }

  private static String printable(String lines) {
    return lines.lines().map(Printable::of).collect(Collectors.joining("\n"));
  }

  private static String name(CommandLine command) {
    return command.getCommandSpec().qualifiedName();
  }
}
