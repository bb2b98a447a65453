package io.artifactserver.core.access;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The keys whose links are good. The last one signs; the others verify links that are still out
 * there. Removing a key revokes every link that it signed. Immutable, thread-safe.
 *
 * @param keys at least one, at most {@value #MAX}, in the order of their creation
 */
public record LinkKeys(List<LinkKey> keys) {
  /** Most keys at a time. */
  public static final int MAX = 16;

  public LinkKeys {
    keys = List.copyOf(keys);
    if (keys.isEmpty()
        || keys.size() > MAX
        || keys.stream().map(LinkKey::id).distinct().count() < keys.size()) {
      throw new IllegalArgumentException(
          "there are 1 to %d keys, each with an id of its own".formatted(MAX));
    }
  }

  /** One new key. */
  public static LinkKeys generate(Instant now) {
    return new LinkKeys(List.of(LinkKey.generate(now)));
  }

  /**
   * Keys as {@link #reveal} wrote them.
   *
   * @throws IllegalArgumentException if the text is anything else; the message quotes no secret
   */
  public static LinkKeys parse(String text) {
    return new LinkKeys(
        text.lines()
            .filter(line -> !line.isBlank())
            .map(line -> LinkKey.parse(line.strip()))
            .toList());
  }

  /** A line for each key, with its secret: for a file of its owner alone. */
  public String reveal() {
    return keys.stream().map(key -> key.reveal() + '\n').collect(Collectors.joining());
  }

  /** The key that signs new links. */
  public LinkKey signing() {
    return keys.getLast();
  }

  /** The key of that id. */
  public Optional<LinkKey> key(String id) {
    // One to sixteen keys: a map would be no faster.
    return keys.stream().filter(key -> key.id().equals(id)).findFirst();
  }

  /**
   * These keys and a new one, which signs from now on.
   *
   * @throws IllegalArgumentException if there are {@value #MAX} already
   */
  public LinkKeys rotated(Instant now) {
    List<LinkKey> more = new ArrayList<>(keys);
    more.add(LinkKey.generate(now));
    return new LinkKeys(more);
  }

  /** These keys without one; a new one takes the place of the last. */
  public LinkKeys without(String id, Instant now) {
    List<LinkKey> rest = keys.stream().filter(key -> !key.id().equals(id)).toList();
    return rest.isEmpty() ? generate(now) : new LinkKeys(rest);
  }
}
