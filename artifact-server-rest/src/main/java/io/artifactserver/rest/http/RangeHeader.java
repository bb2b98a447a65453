package io.artifactserver.rest.http;

import io.artifactserver.core.range.ByteRange;
import java.util.ArrayList;
import java.util.List;

/**
 * The ranges that a Range field asks of a representation (RFC 9110, section 14.2). Immutable.
 * Reading one is linear in the field's length, whatever it holds.
 */
public sealed interface RangeHeader {
  /**
   * Not in bytes, or in bytes of which there are none, or of the same bytes again and again: the
   * field is ignored.
   */
  record Ignored() implements RangeHeader {}

  /** Malformed, or of no byte that exists: 416. */
  record Refused() implements RangeHeader {}

  /**
   * The satisfiable ranges.
   *
   * @param ranges in request order, at least one, not empty, within the representation
   */
  record Satisfiable(List<ByteRange> ranges) implements RangeHeader {}

  /**
   * Reads a Range field.
   *
   * @param value of the field
   * @param length of the representation in bytes
   */
  static RangeHeader parse(String value, long length) {
    int equals = value.indexOf('=');
    String unit = equals < 0 ? value : value.substring(0, equals);
    if (!unit.equalsIgnoreCase("bytes")) {
      return new Ignored();
    }
    if (equals < 0) {
      return new Refused();
    }
    return new Parser(value, equals + 1, length).parse();
  }

  /** Reads a range set; used once. */
  final class Parser {
    private static final int END = -1;

    /** A number up to this one stays below 2^63, whichever digit follows it. */
    private static final long NEVER_BEYOND = (Long.MAX_VALUE - 9) / 10;

    private final String text;
    private final long length;
    private final List<ByteRange> ranges = new ArrayList<>(1);
    private int position;
    private long budget;
    private boolean isExcessive;
    private boolean sawSpec;
    private boolean sawSuffixOfNothing;

    private Parser(String text, int position, long length) {
      this.text = text;
      this.position = position;
      this.length = length;
      // Twice the representation, unsigned: the double of any long fits.
      this.budget = 2 * length;
    }

    private RangeHeader parse() {
      while (true) {
        skipWhitespace();
        int c = peek();
        if (c == END) {
          break;
        }
        // A recipient takes empty list elements (RFC 9110, section 5.6.1.2).
        if (c == ',') {
          position++;
          continue;
        }
        if (!readSpec()) {
          return new Refused();
        }
        skipWhitespace();
        if (peek() != END && peek() != ',') {
          return new Refused();
        }
      }
      if (!sawSpec) {
        return new Refused();
      }
      if (ranges.isEmpty()) {
        // A suffix of an empty representation is satisfiable, but no Content-Range can say so.
        return sawSuffixOfNothing ? new Ignored() : new Refused();
      }
      // Ranges that do not overlap never sum up to more than the representation. Of those that do
      // RFC 9110, section 14.2, allows to ignore two; to say that they cannot be satisfied would
      // not be true.
      if (isExcessive) {
        return new Ignored();
      }
      return new Satisfiable(List.copyOf(ranges));
    }

    /** Reads one range-spec; adds it if it is satisfiable. False if it is malformed. */
    private boolean readSpec() {
      sawSpec = true;
      if (peek() == '-') {
        position++;
        if (!isDigit(peek())) {
          return false;
        }
        long suffixLength = Math.min(readNumber(), length);
        if (suffixLength > 0) {
          add(length - suffixLength, suffixLength);
        } else if (length == 0) {
          sawSuffixOfNothing = true;
        }
        return true;
      }
      if (!isDigit(peek())) {
        return false;
      }
      int firstStart = position;
      long first = readNumber();
      int firstEnd = position;
      if (peek() != '-') {
        return false;
      }
      position++;
      long last = Long.MAX_VALUE;
      if (isDigit(peek())) {
        int lastStart = position;
        last = readNumber();
        if (isLess(lastStart, position, firstStart, firstEnd)) {
          return false;
        }
      }
      if (first < length) {
        add(first, Math.min(last, length - 1) - first + 1);
      }
      return true;
    }

    private void add(long start, long count) {
      ranges.add(new ByteRange(start, count));
      isExcessive |= Long.compareUnsigned(count, budget) > 0;
      budget -= count;
    }

    /** A number of any length; beyond 2^63-1 it is clamped, never overflowed. */
    private long readNumber() {
      long number = 0;
      while (isDigit(peek())) {
        int digit = peek() - '0';
        boolean isBeyond = number > NEVER_BEYOND && number > (Long.MAX_VALUE - digit) / 10;
        number = isBeyond ? Long.MAX_VALUE : number * 10 + digit;
        position++;
      }
      return number;
    }

    /** Compares two runs of digits without the clamping of {@link #readNumber}. */
    private boolean isLess(int start, int end, int otherStart, int otherEnd) {
      int i = withoutZeros(start, end);
      int j = withoutZeros(otherStart, otherEnd);
      int difference = Integer.compare(end - i, otherEnd - j);
      for (; difference == 0 && i < end; i++, j++) {
        difference = Character.compare(text.charAt(i), text.charAt(j));
      }
      return difference < 0;
    }

    private int withoutZeros(int start, int end) {
      int i = start;
      while (i < end && text.charAt(i) == '0') {
        i++;
      }
      return i;
    }

    private void skipWhitespace() {
      while (peek() == ' ' || peek() == '\t') {
        position++;
      }
    }

    private int peek() {
      return position < text.length() ? text.charAt(position) : END;
    }

    private static boolean isDigit(int c) {
      return c >= '0' && c <= '9';
    }
  }
}
