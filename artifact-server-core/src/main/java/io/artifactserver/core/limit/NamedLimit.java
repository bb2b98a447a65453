package io.artifactserver.core.limit;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How fast some downloads are together, whatever their repositories. A download is one of them if
 * it fits each list that is not empty, and it fits a list if it fits one of its entries. Immutable.
 *
 * @param bytesPerSecond of all of them together
 * @param addresses of clients
 * @param roles of callers, {@value #ANONYMOUS} for those that show nothing good
 * @param callers names of tokens, subjects of certificates or devices of signed links; a {@code *}
 *     at the end is any characters
 */
public record NamedLimit(
    String name,
    long bytesPerSecond,
    List<Network> addresses,
    List<String> roles,
    List<String> callers) {
  /** The role of callers that nobody knows. */
  public static final String ANONYMOUS = "anonymous";

  /** All roles there are. */
  public static final List<String> ROLES =
      List.of(ANONYMOUS, "device", "reader", "publisher", "admin");

  /** Most entries of a list. */
  public static final int MAX_ENTRIES = 100;

  /** Longest pattern of a name, in characters. */
  public static final int MAX_PATTERN_LENGTH = 512;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
  private static final String WILDCARD = "*";

  /**
   * @throws IllegalArgumentException if a value is out of bounds or not of its form
   */
  public NamedLimit {
    addresses = List.copyOf(addresses);
    roles = List.copyOf(roles);
    callers = List.copyOf(callers);
    if (!isName(name)) {
      throw new IllegalArgumentException(
          "The name of a limit has 1 to 64 ASCII letters, digits, '.', '_' and '-', and begins with"
              + " a letter or digit");
    }
    RepositoryLimits.requireRate(bytesPerSecond);
    requirePatterns(callers, addresses);
    if (roles.size() > MAX_ENTRIES) {
      throw tooMany();
    }
    if (!ROLES.containsAll(roles)) {
      throw new IllegalArgumentException(
          "The roles are \"%s\"".formatted(String.join("\", \"", ROLES)));
    }
  }

  /**
   * Checks what names devices by their callers and addresses.
   *
   * @throws IllegalArgumentException if there are too many, or a pattern is none
   */
  public static void requirePatterns(List<String> callers, List<Network> addresses) {
    if (addresses.size() > MAX_ENTRIES || callers.size() > MAX_ENTRIES) {
      throw tooMany();
    }
    for (String pattern : callers) {
      if (pattern.isEmpty()
          || pattern.length() > MAX_PATTERN_LENGTH
          || pattern.chars().anyMatch(Character::isISOControl)) {
        throw new IllegalArgumentException(
            "A pattern of names is 1 to %d characters, and no control characters"
                .formatted(MAX_PATTERN_LENGTH));
      }
    }
  }

  private static IllegalArgumentException tooMany() {
    return new IllegalArgumentException("Each list has at most %d entries".formatted(MAX_ENTRIES));
  }

  /** Whether the text can name a limit. */
  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  /** Whether every download is one of them. */
  boolean isOfEverything() {
    return addresses.isEmpty() && !asksForCaller();
  }

  /** Whether it matters who asks. */
  boolean asksForCaller() {
    return !roles.isEmpty() || !callers.isEmpty();
  }

  /** Whether the other limit is of the same downloads. */
  boolean isOfTheSame(NamedLimit other) {
    return addresses.equals(other.addresses)
        && roles.equals(other.roles)
        && callers.equals(other.callers);
  }

  /**
   * Whether a download is one of them.
   *
   * @param caller empty if nobody knows
   * @param address empty if nobody knows
   */
  boolean fits(String role, String caller, Optional<InetAddress> address) {
    return (roles.isEmpty() || roles.contains(role)) && fits(callers, addresses, caller, address);
  }

  /**
   * Whether a caller fits one of the patterns, and its address is in one of the networks; an empty
   * list is for all.
   */
  public static boolean fits(
      List<String> callers, List<Network> addresses, String caller, Optional<InetAddress> address) {
    return (callers.isEmpty() || callers.stream().anyMatch(pattern -> fits(pattern, caller)))
        && (addresses.isEmpty()
            || (address.isPresent()
                && addresses.stream().anyMatch(network -> network.contains(address.get()))));
  }

  private static boolean fits(String pattern, String caller) {
    return pattern.endsWith(WILDCARD)
        ? !caller.isEmpty() && caller.startsWith(pattern.substring(0, pattern.length() - 1))
        : caller.equals(pattern);
  }
}
