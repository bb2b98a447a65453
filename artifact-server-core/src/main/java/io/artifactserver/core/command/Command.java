package io.artifactserver.core.command;

import java.io.PrintStream;
import java.util.List;

/**
 * Runs in place of the server when the first argument is its name. Found by {@link
 * java.util.ServiceLoader}, so that whoever starts the program need not know who implements it.
 */
public interface Command {
  /** The first argument that calls it, such as {@code keys}. */
  String name();

  /**
   * Runs the command to its end.
   *
   * @param arguments behind the name
   * @param output for people
   * @param errors for people; says what to do
   * @return the process's exit status: 0 if it did what it was asked to
   */
  int run(List<String> arguments, PrintStream output, PrintStream errors);
}
