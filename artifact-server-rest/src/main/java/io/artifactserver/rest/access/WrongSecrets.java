package io.artifactserver.rest.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts wrong secrets, of a client's address and of a token's id. Each has a number of them at
 * once, and then so many a second; beyond, the database is not asked for its next ones. A good
 * secret is never held up: the fingerprints of all are in memory. Thread-safe.
 */
public final class WrongSecrets {
  private static final int MAX_REMEMBERED = 10_000;

  private static final Budget OF_ADDRESS = new Budget(100, Duration.ofMillis(100).toNanos());
  private static final Budget OF_TOKEN = new Budget(20, Duration.ofSeconds(1).toNanos());

  private final LongSupplier nanoTime;
  private final Cache<Object, AtomicLong> addresses;
  private final Cache<String, AtomicLong> tokens;

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  public WrongSecrets(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.addresses = remembered();
    this.tokens = remembered();
  }

  private static <K> Cache<K, AtomicLong> remembered() {
    return Caffeine.newBuilder()
        .executor(Runnable::run)
        .maximumSize(MAX_REMEMBERED)
        .expireAfterWrite(Duration.ofMinutes(1))
        .build();
  }

  /** Whether an address has used up its wrong secrets. */
  boolean isAddressExhausted(Object address) {
    return OF_ADDRESS.isExhausted(addresses.getIfPresent(address), nanoTime.getAsLong());
  }

  /** Notes a wrong secret of an address. */
  void wrongOfAddress(Object address) {
    OF_ADDRESS.pay(addresses.get(address, _ -> newAccount()), nanoTime.getAsLong());
  }

  /** Notes a wrong secret of a token that exists; returns whether it had used them up already. */
  boolean wrongOfToken(String id) {
    AtomicLong account = tokens.get(id, _ -> newAccount());
    long now = nanoTime.getAsLong();
    boolean isExhausted = OF_TOKEN.isExhausted(account, now);
    OF_TOKEN.pay(account, now);
    return isExhausted;
  }

  private AtomicLong newAccount() {
    return new AtomicLong(nanoTime.getAsLong());
  }

  /**
   * An account is the time until which its wrong secrets are paid for.
   *
   * @param burst at once
   * @param nanos for one more
   */
  private record Budget(int burst, long nanos) {
    boolean isExhausted(@Nullable AtomicLong account, long now) {
      return account != null && account.get() - now > (burst - 1) * nanos;
    }

    void pay(AtomicLong account, long now) {
      // Bounded, so that a client that stops is let in again within the burst's time.
      account.updateAndGet(paid -> Math.min(Math.max(paid - now, 0) + nanos, burst * nanos) + now);
    }
  }
}
