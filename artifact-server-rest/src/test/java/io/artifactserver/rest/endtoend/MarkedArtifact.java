package io.artifactserver.rest.endtoend;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/**
 * Artifacts whose bytes tell which artifact they are from, and from where in it: each word of 16
 * bytes has a mark, the artifact, the word's number and a checksum of those. So a byte that was
 * another client's is named, wherever it turns up. Immutable.
 */
@SuppressWarnings("ImmutableEnumChecker") // Nobody writes to the bytes.
enum MarkedArtifact {
  PUBLIC(1, "open", true, false, 12_000_005),
  PRIVATE(2, "closed", false, false, 3_000_001),
  ENCRYPTED(3, "vault", true, true, 12_000_007),
  SEALED(4, "sealed", false, true, 3_000_003);

  private static final int WORD_LENGTH = 16;
  private static final long MARK = 0xA5;
  private static final int SHOWN = 32;

  /** So many equal bytes in a row are no word, but what a pool was filled with. */
  private static final int PATTERN_LENGTH = 16;

  private final int id;
  private final String repository;
  private final boolean isPublic;
  private final boolean isEncrypted;
  private final byte[] bytes;

  MarkedArtifact(int id, String repository, boolean isPublic, boolean isEncrypted, int length) {
    this.id = id;
    this.repository = repository;
    this.isPublic = isPublic;
    this.isEncrypted = isEncrypted;
    ByteBuffer words = ByteBuffer.allocate(length + WORD_LENGTH);
    for (long word = 0; words.position() < length; word++) {
      long mark = MARK << 56 | (long) id << 48 | word;
      words.putLong(mark).putLong(checksum(mark));
    }
    this.bytes = new byte[length];
    words.get(0, bytes);
  }

  String path() {
    return "/artifacts/" + repository + "/marked.img";
  }

  int length() {
    return bytes.length;
  }

  /** Whether it is delivered without a token. */
  boolean isPublic() {
    return isPublic;
  }

  /** Makes the repository, with the artifact in it. */
  void upload(Operator operator) throws Exception {
    require(
        operator
            .json(
                "POST",
                "/api/v1/repositories",
                "{\"name\": \"%s\", \"public\": %s, \"encrypted\": %s}"
                    .formatted(repository, isPublic, isEncrypted))
            .statusCode());
    require(operator.put(repository, "marked.img", bytes).statusCode());
  }

  private static void require(int status) {
    if (status / 100 != 2) {
      throw new IllegalStateException("The upload is answered with " + status);
    }
  }

  /**
   * Compares bytes that came with the artifact's own.
   *
   * @param position in the artifact, of the first of them
   * @throws AssertionError that names the owner of a wrong byte
   */
  void require(long position, byte[] came, int offset, int length) {
    if (position + length > bytes.length) {
      throw new AssertionError("%s has no %d bytes".formatted(this, position + length));
    }
    int begin = (int) position;
    int wrong = -1;
    for (int i = 0; i < length && wrong < 0; ) {
      // Piece by piece: the intrinsic compares fast, and a mismatch is rare.
      int step = Math.min(length - i, 1 << 16);
      int at = mismatch(begin + i, came, offset + i, step);
      wrong = at < 0 ? -1 : i + at;
      i += step;
    }
    if (wrong >= 0) {
      throw new AssertionError(
          "Wrong at %d of %s: %s"
              .formatted(begin + wrong, this, describe(came, offset + wrong, offset + length)));
    }
  }

  private int mismatch(int begin, byte[] came, int offset, int length) {
    return Arrays.mismatch(bytes, begin, begin + length, came, offset, offset + length);
  }

  /** Says whose bytes these are, as far as they tell. */
  static String describe(byte[] came, int from, int to) {
    Map<MarkedArtifact, Integer> owners = new EnumMap<>(MarkedArtifact.class);
    String first = "";
    // A word may have begun before the first wrong byte, which may look right by accident.
    for (int i = Math.max(0, from - WORD_LENGTH + 1); i + WORD_LENGTH <= to; i++) {
      Optional<Word> word = Word.at(came, i);
      if (word.isPresent()) {
        first =
            first.isEmpty() ? "%s at %d".formatted(word.get().owner, word.get().position) : first;
        owners.merge(word.get().owner, WORD_LENGTH, Integer::sum);
        i += WORD_LENGTH - 1;
      }
    }
    String hex = HexFormat.of().formatHex(came, from, Math.min(to, from + SHOWN));
    if (!first.isEmpty()) {
      return "bytes of %s (in %d bytes: %s): %s".formatted(first, to - from, owners, hex);
    }
    return pattern(came, from, to)
        .map(pattern -> "the pattern 0x%02x: %s".formatted(pattern, hex))
        .orElse("bytes of no artifact: " + hex);
  }

  /**
   * Answers that are no artifact have none of its bytes, and no pattern of a pool.
   *
   * @throws AssertionError that names the owner
   */
  static void requireNone(byte[] came) {
    for (int i = 0; i + WORD_LENGTH <= came.length; i++) {
      if (Word.at(came, i).isPresent()) {
        throw new AssertionError("An answer has " + describe(came, i, came.length));
      }
    }
    pattern(came, 0, came.length)
        .filter(pattern -> pattern < 0)
        .ifPresent(pattern -> {
          throw new AssertionError("An answer has " + describe(came, 0, came.length));
        });
  }

  /** A byte that is there many times in a row. */
  private static Optional<Byte> pattern(byte[] came, int from, int to) {
    int run = 0;
    for (int i = from; i < to; i++) {
      run = i > from && came[i] == came[i - 1] ? run + 1 : 1;
      if (run == PATTERN_LENGTH) {
        return Optional.of(came[i]);
      }
    }
    return Optional.empty();
  }

  private static long checksum(long mark) {
    long mixed = (mark ^ (mark >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }

  private record Word(MarkedArtifact owner, long position) {
    static Optional<Word> at(byte[] came, int offset) {
      if ((came[offset] & 0xff) != MARK) {
        return Optional.empty();
      }
      ByteBuffer word = ByteBuffer.wrap(came, offset, WORD_LENGTH);
      long mark = word.getLong();
      int id = (int) (mark >>> 48 & 0xff);
      if (word.getLong() != checksum(mark)) {
        return Optional.empty();
      }
      long position = (mark & 0xffff_ffff_ffffL) * WORD_LENGTH;
      return Arrays.stream(values())
          .filter(owner -> owner.id == id)
          .findFirst()
          .map(owner -> new Word(owner, position));
    }
  }
}
