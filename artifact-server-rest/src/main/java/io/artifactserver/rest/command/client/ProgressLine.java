package io.artifactserver.rest.command.client;

/** How far something is, in one line. */
sealed interface ProgressLine permits TransferLine, WaitLine {
  /** For a terminal of so many columns; never longer than they are. */
  String onTerminal(int columns);

  /** For a log. */
  String plain();
}
