package io.artifactserver.rest.endtoend;

import io.artifactserver.core.range.ByteRange;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Compares a body with what it should be while it comes, so that one that is cut short is compared
 * as far as it came. Used by one thread.
 */
interface BodyCheck {
  /**
   * @throws AssertionError if bytes are not what they should be
   */
  void feed(byte[] came, int offset, int length);

  /**
   * The body is over.
   *
   * @throws AssertionError if something is missing
   */
  void end();

  /** One range of an artifact, as it is. */
  final class Single implements BodyCheck {
    private final MarkedArtifact artifact;
    private final long end;
    private long position;

    Single(MarkedArtifact artifact, ByteRange range) {
      this.artifact = artifact;
      this.position = range.position();
      this.end = range.position() + range.length();
    }

    @Override
    public void feed(byte[] came, int offset, int length) {
      if (position + length > end) {
        throw new AssertionError("A body has %d bytes too many".formatted(position + length - end));
      }
      artifact.require(position, came, offset, length);
      position += length;
    }

    @Override
    public void end() {
      if (position < end) {
        throw new AssertionError("A body lacks %d bytes".formatted(end - position));
      }
    }
  }

  /** Several ranges as multipart/byteranges (RFC 9110, section 14.6). */
  final class Parts implements BodyCheck {
    private static final int MAX_LINE = 1000;

    private final MarkedArtifact artifact;
    private final List<ByteRange> ranges;
    private final String boundary;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private int begun;
    private long position;
    private long left;
    private boolean isHead;
    private boolean isOver;

    /** Whether the head of the part named its range. */
    private boolean isNamed;

    Parts(MarkedArtifact artifact, List<ByteRange> ranges, String boundary) {
      this.artifact = artifact;
      this.ranges = ranges;
      this.boundary = "--" + boundary;
    }

    @Override
    public void feed(byte[] came, int offset, int length) {
      int at = offset;
      int end = offset + length;
      while (at < end) {
        if (left > 0) {
          int part = (int) Math.min(left, end - at);
          artifact.require(position, came, at, part);
          position += part;
          left -= part;
          at += part;
        } else {
          line.write(came[at]);
          boolean isWhole = came[at] == '\n';
          at++;
          if (isWhole) {
            take(came, at, end);
          } else if (line.size() > MAX_LINE) {
            throw broken(came, at, end);
          }
        }
      }
    }

    @Override
    public void end() {
      if (!isOver) {
        throw new AssertionError(
            "A body ends in part %d of %d, which lacks %d bytes"
                .formatted(begun, ranges.size(), left));
      }
    }

    private void take(byte[] came, int at, int end) {
      String text = line.toString(StandardCharsets.ISO_8859_1);
      line.reset();
      if (isOver || !text.endsWith("\r\n")) {
        throw broken(came, at, end);
      }
      text = text.substring(0, text.length() - 2);
      if (isHead && text.isEmpty() && isNamed) {
        isHead = false;
        ByteRange range = ranges.get(begun - 1);
        position = range.position();
        left = range.length();
      } else if (isHead && text.startsWith("Content-Range: ")) {
        if (!text.equals("Content-Range: " + Ask.contentRange(artifact, ranges.get(begun - 1)))) {
          throw new AssertionError("Part %d is %s".formatted(begun, text));
        }
        isNamed = true;
      } else if (!isHead && text.equals(boundary) && begun < ranges.size()) {
        begun++;
        isHead = true;
        isNamed = false;
      } else if (!isHead && text.equals(boundary + "--") && begun == ranges.size()) {
        isOver = true;
      } else if (isHead ? !text.startsWith("Content-Type: ") : !text.isEmpty()) {
        throw new AssertionError(
            "Part %d has the line \"%s\", then %s"
                .formatted(begun, text, MarkedArtifact.describe(came, at, end)));
      }
    }

    private AssertionError broken(byte[] came, int at, int end) {
      byte[] bytes = line.toByteArray();
      return new AssertionError(
          "Part %d is broken by %s, then %s"
              .formatted(
                  begun,
                  MarkedArtifact.describe(bytes, 0, bytes.length),
                  MarkedArtifact.describe(came, at, end)));
    }
  }

  /** An error, a page, or nothing: it must not have any artifact's bytes. */
  final class Other implements BodyCheck {
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();

    @Override
    public void feed(byte[] came, int offset, int length) {
      body.write(came, offset, length);
    }

    @Override
    public void end() {
      MarkedArtifact.requireNone(body.toByteArray());
    }
  }
}
