package io.artifactserver.rest.command.client;

/**
 * Something that the server does, without telling how far it is.
 *
 * @param name of the file
 * @param what the server does
 * @param seconds since it began
 */
record WaitLine(String name, String what, long seconds) implements ProgressLine {
  @Override
  public String onTerminal(int columns) {
    return Printable.cut(plain(), Math.max(0, columns - 1));
  }

  @Override
  public String plain() {
    return "%s: %s, %s so far".formatted(name, what, Figures.time(seconds));
  }
}
