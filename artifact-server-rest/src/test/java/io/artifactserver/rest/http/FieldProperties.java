package io.artifactserver.rest.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.http.EntityTag.Comparison;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Properties of every input a stranger may send: the documented exception and no other, and the
 * invariants below. Each method checks one input and names it when it fails.
 */
final class FieldProperties {
  static final Instant NOW = Instant.parse("2026-03-01T12:00:00.5Z");
  static final EntityTag TAG = EntityTag.of(digest(DigestAlgorithm.SHA_256));
  static final Digests ALL_DIGESTS = digests(DigestAlgorithm.values());
  static final Digests ONLY_SHA_256 = digests(DigestAlgorithm.SHA_256);

  private static final Instant LAST_MODIFIED = Instant.parse("2026-02-28T23:59:59Z");
  private static final List<Long> LENGTHS = List.of(0L, 1L, 10_000L, 1L << 32, Long.MAX_VALUE);
  private static final Pattern RANGE_SPEC = Pattern.compile("(\\d+)-(\\d*)|-(\\d+)");
  private static final Pattern ENTITY_TAG =
      Pattern.compile("(W/)?\"([\\x21\\x23-\\x7e\\x80-\\uffff]*)\"");
  private static final Pattern ENTITY_TAG_LIST =
      Pattern.compile(
          "[ \\t,]*(?:%1$s(?:[ \\t]*,[ \\t,]*|[ \\t]*$))+".formatted(ENTITY_TAG.pattern()));

  private FieldProperties() {}

  /** As an independent reading of RFC 9110, section 14.1.2, says, and never too much. */
  static void rangeHeader(String value) {
    for (long length : LENGTHS) {
      RangeHeader header = RangeHeader.parse(value, length);
      assertThat(outcome(header)).as("%s of %d", value, length).isEqualTo(expected(value, length));
      if (header instanceof RangeHeader.Satisfiable(List<ByteRange> ranges)) {
        requireSane(ranges, length, value);
      }
    }
  }

  /** The fields are lines of {@code Name: value}, in any number and order. */
  static void plan(String lines) {
    RequestFields fields = fields(lines);
    for (long length : LENGTHS) {
      Representation representation = new Representation(length, TAG, LAST_MODIFIED);
      ResponsePlan plan = ResponsePlanner.plan("GET", fields, representation, NOW);
      switch (plan) {
        case ResponsePlan.Single(ByteRange range) -> requireSane(List.of(range), length, lines);
        case ResponsePlan.Multiple(List<ByteRange> ranges) -> {
          assertThat(ranges).as(lines).hasSizeGreaterThan(1);
          requireSane(ranges, length, lines);
        }
        case ResponsePlan.Whole _,
            ResponsePlan.RangeNotSatisfiable _,
            ResponsePlan.NotModified _,
            ResponsePlan.PreconditionFailed _ -> {
          // Nothing more to say of these.
        }
      }
      if (fields.value("Range").isEmpty()) {
        assertThat(plan)
            .as(lines)
            .isNotInstanceOfAny(
                ResponsePlan.Single.class,
                ResponsePlan.Multiple.class,
                ResponsePlan.RangeNotSatisfiable.class);
      }
      ResponsePlan head = ResponsePlanner.plan("HEAD", fields, representation, NOW);
      assertThat(head).as(lines).isEqualTo(isAboutRanges(plan) ? new ResponsePlan.Whole() : plan);
    }
  }

  static void httpDate(String text) {
    Optional<Instant> parsed = HttpDate.parse(text, NOW);
    if (parsed.isPresent()) {
      Instant instant = parsed.get();
      assertThat(instant).as(text).isEqualTo(instant.truncatedTo(ChronoUnit.SECONDS));
      int year = instant.atZone(ZoneOffset.UTC).getYear();
      if (year >= 1 && year <= 9999) {
        assertThat(HttpDate.parse(HttpDate.format(instant), NOW)).as(text).contains(instant);
      }
    }
  }

  /** Well-formed lists as an independent reading says; others never match a tag they lack. */
  static void entityTags(String list) {
    boolean strong = TAG.matchesAnyOf(list, Comparison.STRONG);
    boolean weak = TAG.matchesAnyOf(list, Comparison.WEAK);
    boolean single = TAG.matchesStrongly(list);
    if (ENTITY_TAG_LIST.matcher(list).matches()) {
      boolean expectedStrong = false;
      boolean expectedWeak = false;
      Matcher members = ENTITY_TAG.matcher(list);
      while (members.find()) {
        boolean isTheTag = members.group(2).equals(TAG.opaqueTag());
        expectedWeak |= isTheTag;
        expectedStrong |= isTheTag && members.group(1) == null;
      }
      assertThat(strong).as(list).isEqualTo(expectedStrong);
      assertThat(weak).as(list).isEqualTo(expectedWeak);
    } else if (list.strip().equals("*")) {
      assertThat(strong && weak).as(list).isTrue();
    } else if (weak) {
      assertThat(list).contains(TAG.toString());
    }
    assertThat(strong && !weak).as(list).isFalse();
    assertThat(single).as(list).isEqualTo(list.equals(TAG.toString()));
  }

  static void digestFields(String value) {
    for (Digests digests : List.of(ALL_DIGESTS, ONLY_SHA_256)) {
      List<Digest> answered = DigestFields.parse(DigestFields.reprDigest(digests, value));
      assertThat(answered).as(value).isNotEmpty().doesNotHaveDuplicates();
      assertThat(digests.values().values()).as(value).containsAll(answered);
      DigestFields.digest(digests, value)
          .ifPresent(
              text -> assertThat(text).as(value).matches("[A-Z0-9-]+=[^,]+(,[A-Z0-9-]+=[^,]+)*"));
    }
    List<Digest> digests;
    try {
      digests = DigestFields.parse(value);
    } catch (IllegalArgumentException e) {
      assertThat(e).as(value).hasMessageStartingWith("Malformed digest ");
      return;
    }
    List<String> members = new ArrayList<>();
    digests.forEach(digest ->
        members.add(digest.algorithm().fieldKey() + "=:" + digest.base64() + ":;parameter"));
    if (!members.isEmpty()) {
      assertThat(DigestFields.parse(String.join(" ,\t", members))).as(value).isEqualTo(digests);
    }
  }

  static void requestPath(String rawPath) {
    String path;
    try {
      path = RequestPath.decode(rawPath);
    } catch (InvalidNameException e) {
      return;
    }
    assertThat(rawPath.chars()).as(rawPath).allMatch(c -> c <= 0x7E);
    assertThat(path.length()).as(rawPath).isLessThanOrEqualTo(rawPath.length());
    assertThat(path.chars().filter(c -> c == '/').count())
        .as(rawPath)
        .isEqualTo(rawPath.chars().filter(c -> c == '/').count());
    String encoded = RequestPath.encode(path);
    assertThat(encoded).as(rawPath).matches("[!-~]*");
    assertThat(RequestPath.decode(encoded)).as(rawPath).isEqualTo(path);
  }

  static RequestFields fields(String lines) {
    Map<String, String> fields = new HashMap<>();
    for (String line : lines.split("\n", -1)) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        fields.merge(
            line.substring(0, colon).toLowerCase(Locale.ROOT),
            line.substring(colon + 1).strip(),
            (first, second) -> first + ", " + second);
      }
    }
    return name -> Optional.ofNullable(fields.get(name.toLowerCase(Locale.ROOT)));
  }

  private static boolean isAboutRanges(ResponsePlan plan) {
    return plan instanceof ResponsePlan.Single
        || plan instanceof ResponsePlan.Multiple
        || plan instanceof ResponsePlan.RangeNotSatisfiable;
  }

  private static void requireSane(List<ByteRange> ranges, long length, String input) {
    BigInteger sum = BigInteger.ZERO;
    for (ByteRange range : ranges) {
      assertThat(range.length()).as(input).isPositive();
      range.requireWithin(length);
      sum = sum.add(BigInteger.valueOf(range.length()));
    }
    assertThat(sum).as(input).isLessThanOrEqualTo(BigInteger.valueOf(length).shiftLeft(1));
  }

  private static String outcome(RangeHeader header) {
    return switch (header) {
      case RangeHeader.Ignored _ -> "ignored";
      case RangeHeader.Refused _ -> "refused";
      case RangeHeader.Satisfiable(List<ByteRange> ranges) -> ranges.toString();
    };
  }

  /** With numbers of any size and a regular expression, as slow as it is plain. */
  private static String expected(String value, long representationLength) {
    String[] unitAndSet = value.split("=", 2);
    if (!unitAndSet[0].equalsIgnoreCase("bytes")) {
      return "ignored";
    }
    BigInteger length = BigInteger.valueOf(representationLength);
    BigInteger sum = BigInteger.ZERO;
    List<ByteRange> ranges = new ArrayList<>();
    boolean sawSpec = false;
    boolean sawSuffix = false;
    for (String member : (unitAndSet.length == 1 ? "" : unitAndSet[1]).split(",", -1)) {
      String spec = member.replaceAll("^[ \\t]+|[ \\t]+$", "");
      if (spec.isEmpty()) {
        continue;
      }
      sawSpec = true;
      Matcher matcher = RANGE_SPEC.matcher(spec);
      if (!matcher.matches()) {
        return "refused";
      }
      BigInteger first;
      BigInteger end = length;
      if (matcher.group(3) == null) {
        first = new BigInteger(matcher.group(1));
        if (!matcher.group(2).isEmpty()) {
          BigInteger last = new BigInteger(matcher.group(2));
          if (last.compareTo(first) < 0) {
            return "refused";
          }
          end = last.add(BigInteger.ONE).min(length);
        }
      } else {
        sawSuffix = true;
        first = length.subtract(new BigInteger(matcher.group(3)).min(length));
      }
      if (first.compareTo(end) < 0) {
        sum = sum.add(end.subtract(first));
        ranges.add(new ByteRange(first.longValueExact(), end.subtract(first).longValueExact()));
      }
    }
    if (ranges.isEmpty()) {
      return sawSpec && sawSuffix && representationLength == 0 ? "ignored" : "refused";
    }
    return sum.compareTo(length.shiftLeft(1)) > 0 ? "ignored" : ranges.toString();
  }

  private static Digests digests(DigestAlgorithm... algorithms) {
    Map<DigestAlgorithm, Digest> digests = new EnumMap<>(DigestAlgorithm.class);
    for (DigestAlgorithm algorithm : algorithms) {
      digests.put(algorithm, digest(algorithm));
    }
    return new Digests(digests);
  }

  private static Digest digest(DigestAlgorithm algorithm) {
    return Digest.of(
        algorithm, algorithm.newMessageDigest().digest("fuzz".getBytes(StandardCharsets.UTF_8)));
  }
}
