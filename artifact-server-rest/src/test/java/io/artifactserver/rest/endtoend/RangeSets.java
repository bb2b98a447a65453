package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every set of ranges brings its bytes, in request order, and nothing else. */
abstract class RangeSets extends EachTransport {
  private static final List<String> REPOSITORIES = List.of("public", "encrypted");
  private static final int SLICE = 4 * 1024 * 1024;
  private static final int SCATTERED = 1000;

  private final byte[] medium = Bytes.random(3_000_017, 41);
  private final byte[] large = Bytes.random(2 * SLICE + 3_000_001, 42);
  private final byte[] single = {7};
  private final byte[] empty = {};
  private Wire wire;

  @BeforeParameterizedClassInvocation
  void upload() throws Exception {
    try (Operator operator = server.operator()) {
      for (byte[] content : List.of(medium, large, single, empty)) {
        for (String repository : REPOSITORIES) {
          assertThat(operator.put(repository, name(content), content).statusCode()).isIn(200, 201);
        }
      }
    }
  }

  @BeforeEach
  void connect() throws IOException {
    wire = open();
  }

  @AfterEach
  void disconnect() throws IOException {
    wire.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void anyRangeSet(long seed) throws IOException {
    Random random = new Random(seed);
    for (int i = 0; i < sets(); i++) {
      requireAnswer(medium, new RangeSet(random, medium.length).any());
    }
  }

  /** Small parts are gathered in one buffer, large ones go out between them. */
  @ParameterizedTest
  @ValueSource(longs = {6, 7, 8})
  void smallAndLargePartsInTurn(long seed) throws IOException {
    Random random = new Random(seed);
    for (int i = 0; i < sets(); i++) {
      requireAnswer(medium, new RangeSet(random, medium.length).smallAndLargeInTurn());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {9, 10})
  void ofAlmostNothing(long seed) throws IOException {
    Random random = new Random(seed);
    for (int i = 0; i < sets(); i++) {
      requireAnswer(single, new RangeSet(random, single.length).any());
      requireAnswer(empty, new RangeSet(random, empty.length).any());
    }
  }

  @Test
  void rangesThatStraddleSlices() throws IOException {
    for (int first : new int[] {0, 1, SLICE - 1, SLICE, SLICE + 1, large.length - SLICE - 1}) {
      for (int length : new int[] {1, 2, SLICE - 1, SLICE, SLICE + 1, 2 * SLICE + 1}) {
        if (first + length <= large.length) {
          RangeSet set = new RangeSet(new Random(0), large.length);
          set.add(first, first + (long) length - 1);
          requireAnswer(large, set);
        }
      }
    }
    for (int i = 0; i < sets() / 6; i++) {
      requireAnswer(large, new RangeSet(new Random(i), large.length).any());
    }
  }

  /** As SWUpdate asks. Backwards, each takes a read of its own from a store that is not a file. */
  @Test
  void aThousandScatteredRanges() throws IOException {
    RangeSet set = new RangeSet(new Random(11), large.length);
    int step = large.length / SCATTERED;
    for (int i = SCATTERED; i > 0; i--) {
      long first = (long) i * step - 2;
      set.add(first, first + i % 2);
    }
    requireAnswer(large, set);
  }

  /** How many sets of a kind are asked for. */
  abstract int sets();

  private void requireAnswer(byte[] content, RangeSet set) throws IOException {
    for (String repository : REPOSITORIES) {
      requireAnswer(repository, content, set);
    }
  }

  private void requireAnswer(String repository, byte[] content, RangeSet set) throws IOException {
    wire.send(
        "GET /artifacts/%s/%s HTTP/1.1\r\nHost: device\r\nRange: %s\r\n\r\n"
            .formatted(repository, name(content), set.field()));
    Response response = wire.receive(true);
    assertThat(response.status()).as(set.field()).isEqualTo(set.status());
    // The wire has read as many bytes as Content-Length says; one too many would be the next
    // response's first.
    switch (response.status()) {
      case 200 -> requireBytes(set, response, content);
      case 206 -> {
        if (set.satisfiable.size() == 1) {
          ByteRange range = set.satisfiable.getFirst();
          assertThat(response.field("Content-Range")).contains(contentRange(range, content.length));
          requireBytes(set, response, slice(content, range));
        } else {
          requireBytes(set, response, multipart(set, response, content));
        }
      }
      default -> assertThat(response.field("Content-Range")).contains("bytes */" + content.length);
    }
  }

  private static void requireBytes(RangeSet set, Response response, byte[] expected) {
    // Arrays.equals: a message of megabytes would help nobody.
    assertThat(Arrays.equals(response.body(), expected)).as(set.field()).isTrue();
    assertThat(response.field("Content-Length")).contains(String.valueOf(expected.length));
  }

  private static byte[] multipart(RangeSet set, Response response, byte[] content) {
    String contentType = response.field("Content-Type").orElseThrow();
    assertThat(contentType).startsWith("multipart/byteranges; boundary=");
    String delimiter = "\r\n--" + contentType.substring(contentType.indexOf('=') + 1);
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (ByteRange range : set.satisfiable) {
      String head =
          "%s\r\nContent-Type: application/octet-stream\r\nContent-Range: %s\r\n\r\n"
              .formatted(delimiter, contentRange(range, content.length));
      body.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
      body.write(content, (int) range.position(), (int) range.length());
    }
    body.writeBytes((delimiter + "--\r\n").getBytes(StandardCharsets.US_ASCII));
    return body.toByteArray();
  }

  private static String contentRange(ByteRange range, int length) {
    return "bytes %d-%d/%d".formatted(range.position(), range.end() - 1, length);
  }

  private static byte[] slice(byte[] content, ByteRange range) {
    return Arrays.copyOfRange(content, (int) range.position(), (int) range.end());
  }

  private static String name(byte[] content) {
    return "range-sets-" + content.length + ".bin";
  }

  /** A Range field and what it selects, made side by side. */
  private static final class RangeSet {
    private static final int LARGE = 64 * 1024;

    private final Random random;
    private final int length;
    private final List<String> specs = new ArrayList<>();
    private final List<ByteRange> satisfiable = new ArrayList<>();
    private boolean hasSuffix;

    RangeSet(Random random, int length) {
      this.random = random;
      this.length = length;
    }

    /** 1 to 300 ranges of every form. */
    RangeSet any() {
      int count = random.nextBoolean() ? random.nextInt(1, 5) : random.nextInt(1, 301);
      // Most sets are to stay below the limit on overlap, some not.
      int longest =
          Math.max(1, (int) Math.min(2 * LARGE, (random.nextInt(4) + 1L) * length / count));
      for (int i = 0; i < count; i++) {
        switch (random.nextInt(12)) {
          case 0 -> addSuffix(random.nextInt(longest) + 1L);
          case 1 -> addOpen(Math.max(0, length - random.nextInt(longest)));
          case 2 -> add(length + (long) random.nextInt(1000), Long.MAX_VALUE);
          case 3 -> addSuffix(0);
          case 4 -> add(random.nextInt(length + 1), random.nextInt(length + 1) + (long) length);
          default -> {
            long first = random.nextInt(length + 1);
            add(first, first + random.nextInt(random.nextInt(longest) + 1));
          }
        }
      }
      return this;
    }

    RangeSet smallAndLargeInTurn() {
      for (int i = random.nextInt(2, 30); i > 0; i--) {
        int span = i % 2 == 0 ? random.nextInt(1, 3000) : random.nextInt(LARGE - 2, 3 * LARGE);
        long first = random.nextInt(length - span);
        add(first, first + span - 1);
      }
      return this;
    }

    void add(long first, long last) {
      specs.add(first + "-" + last);
      if (first < length) {
        satisfiable.add(new ByteRange(first, Math.min(last, length - 1L) - first + 1));
      }
    }

    void addOpen(long first) {
      specs.add(first + "-");
      if (first < length) {
        satisfiable.add(new ByteRange(first, length - first));
      }
    }

    void addSuffix(long suffixLength) {
      specs.add("-" + suffixLength);
      hasSuffix = true;
      long selected = Math.min(suffixLength, length);
      if (selected > 0) {
        satisfiable.add(new ByteRange(length - selected, selected));
      }
    }

    String field() {
      return "bytes=" + String.join(random.nextBoolean() ? "," : " , ", specs);
    }

    int status() {
      if (satisfiable.isEmpty()) {
        return length == 0 && hasSuffix ? 200 : 416;
      }
      BigInteger sum = BigInteger.ZERO;
      for (ByteRange range : satisfiable) {
        sum = sum.add(BigInteger.valueOf(range.length()));
      }
      return sum.compareTo(BigInteger.TWO.multiply(BigInteger.valueOf(length))) > 0 ? 200 : 206;
    }
  }
}
