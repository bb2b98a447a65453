package io.artifactserver.rest.command.client;

import java.util.OptionalLong;

/**
 * How far a transfer is.
 *
 * @param name of the file
 * @param position bytes that are there
 * @param total bytes in all
 * @param bytesPerSecond 0 if unknown
 * @param secondsLeft empty if unknown
 */
record TransferLine(
    String name, long position, long total, double bytesPerSecond, OptionalLong secondsLeft)
    implements ProgressLine {
  private static final int MAX_NAME = 30;
  private static final int MIN_BAR = 10;
  private static final int MAX_BAR = 50;
  private static final int PERCENT = 100;

  /** With a bar. */
  @Override
  public String onTerminal(int columns) {
    String begin = "%s %3d%% ".formatted(shortName(), percent());
    String end = " " + figures();
    // A line that fills the last column makes some terminals scroll.
    int room = Math.min(MAX_BAR, columns - 1 - Printable.columns(begin) - end.length() - 2);
    String line = begin + (room < MIN_BAR ? "" : bar(room)) + end;
    return Printable.cut(line, Math.max(0, columns - 1));
  }

  @Override
  public String plain() {
    return "%s: %d%%, %s".formatted(name, percent(), figures());
  }

  private String figures() {
    StringBuilder figures = new StringBuilder();
    figures.append(Figures.bytes(position)).append(" of ").append(Figures.bytes(total));
    if (bytesPerSecond > 0) {
      figures.append(", ").append(Figures.rate(bytesPerSecond));
    }
    secondsLeft.ifPresent(
        seconds -> figures.append(", ").append(Figures.time(seconds)).append(" left"));
    return figures.toString();
  }

  private long percent() {
    return total == 0 ? PERCENT : (long) (position / (double) total * PERCENT);
  }

  private String bar(int width) {
    int full = (int) (total == 0 ? width : position / (double) total * width);
    boolean hasHead = full > 0 && full < width;
    return "["
        + "=".repeat(full - (hasHead ? 1 : 0))
        + (hasHead ? ">" : "")
        + " ".repeat(width - full)
        + "]";
  }

  private String shortName() {
    if (Printable.columns(name) <= MAX_NAME) {
      return name;
    }
    String turned = new StringBuilder(name).reverse().toString();
    String end = Printable.cut(turned, MAX_NAME / 2 - 1);
    return Printable.cut(name, MAX_NAME / 2 - 2) + "..." + new StringBuilder(end).reverse();
  }
}
