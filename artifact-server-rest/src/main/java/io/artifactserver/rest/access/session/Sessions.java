package io.artifactserver.rest.access.session;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import io.artifactserver.core.digest.DigestAlgorithm;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Browsers that have signed in, in memory: a restart ends them all. Each is found by the digest of
 * the secret that its cookie holds. When there are too many, the eldest of the caller that has most
 * ends, so that nobody signs others out. Thread-safe.
 */
public final class Sessions {
  /** Longest token that somebody may sign in with, in characters. */
  public static final int MAX_TOKEN_LENGTH = 8192;

  /** A session ends when its browser has asked for nothing for so long. */
  static final Duration MAX_IDLE = Duration.ofHours(8);

  /** A session ends, whatever its browser does. */
  static final Duration LIFETIME = Duration.ofHours(24);

  static final int MAX_SESSIONS = 256;
  static final int MAX_SESSIONS_OF_CALLER = 32;

  /** Of all tokens together, in characters of one byte. */
  static final int MAX_LENGTH = 400_000;

  private static final int SECRET_BYTES = 32;

  private final LongSupplier nanoTime;
  private final SecureRandom random = new SecureRandom();

  /** By digest of the secret, the eldest first. Guarded by this object. */
  private final Map<String, Entry> sessions = new LinkedHashMap<>();

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  public Sessions(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Begins a session, always with a secret of its own: one that a browser brought means nothing.
   *
   * @param token that was found good, of at most {@link #MAX_TOKEN_LENGTH} characters
   * @param caller id of its owner
   * @return the secret for the cookie
   */
  public synchronized String begin(String token, String caller) {
    sessions.values().removeIf(this::isOver);
    if (countOf(caller) >= MAX_SESSIONS_OF_CALLER) {
      removeEldest(caller);
    }
    while (sessions.size() >= MAX_SESSIONS || length() + token.length() > MAX_LENGTH) {
      removeEldest(busiest());
    }
    String secret = secret();
    long now = nanoTime.getAsLong();
    sessions.put(
        digest(secret), new Entry(new Session("Bearer " + token, caller, secret()), now, now));
    return secret;
  }

  /** Finds the session of a cookie, and notes that it is in use. */
  public synchronized Optional<Session> find(String secret) {
    String key = digest(secret);
    Entry entry = sessions.get(key);
    if (entry == null || isOver(entry)) {
      sessions.remove(key);
      return Optional.empty();
    }
    entry.lastUseNanos = nanoTime.getAsLong();
    return Optional.of(entry.session);
  }

  /** Ends a session: its cookie is worth nothing from now on, wherever it may be. */
  public synchronized void end(String secret) {
    sessions.remove(digest(secret));
  }

  /** Whether a session goes on; unlike a request by it, the question does not count as its use. */
  public synchronized boolean goesOn(Session session) {
    return sessions.values().stream()
        .anyMatch(each -> each.session.equals(session) && !isOver(each));
  }

  private boolean isOver(Entry entry) {
    long now = nanoTime.getAsLong();
    return now - entry.lastUseNanos >= MAX_IDLE.toNanos()
        || now - entry.beginNanos >= LIFETIME.toNanos();
  }

  private long countOf(String caller) {
    return sessions.values().stream().filter(each -> each.isOf(caller)).count();
  }

  private long length() {
    return sessions.values().stream()
        .mapToLong(each -> each.session.authorization().length())
        .sum();
  }

  private String busiest() {
    return sessions.values().stream()
        .collect(groupingBy(each -> each.session.caller(), counting()))
        .entrySet()
        .stream()
        .max(Map.Entry.comparingByValue())
        .orElseThrow()
        .getKey();
  }

  private void removeEldest(String caller) {
    sessions.entrySet().stream()
        .filter(each -> each.getValue().isOf(caller))
        .findFirst()
        .map(Map.Entry::getKey)
        .ifPresent(sessions::remove);
  }

  private String secret() {
    byte[] bytes = new byte[SECRET_BYTES];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static String digest(String secret) {
    return HexFormat.of()
        .formatHex(
            DigestAlgorithm.SHA_256
                .newMessageDigest()
                .digest(secret.getBytes(StandardCharsets.UTF_8)));
  }

  private static final class Entry {
    private final Session session;
    private final long beginNanos;
    private long lastUseNanos;

    private Entry(Session session, long beginNanos, long lastUseNanos) {
      this.session = session;
      this.beginNanos = beginNanos;
      this.lastUseNanos = lastUseNanos;
    }

    private boolean isOf(String caller) {
      return session.caller().equals(caller);
    }
  }
}
