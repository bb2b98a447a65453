package io.artifactserver.rest.hawkbit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Interner;
import io.artifactserver.rest.hawkbit.Answer.Granted;
import io.artifactserver.rest.hawkbit.Answer.NotFound;
import io.artifactserver.rest.hawkbit.Answer.Unauthorized;
import io.artifactserver.rest.hawkbit.Answer.Unavailable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers hawkBit's answers: a good one for the grant time, and longer while hawkBit cannot be
 * asked; a refusal for a few seconds. Asks each question once at a time. Thread-safe; nothing
 * blocks.
 */
final class Grants {
  /** A refusal takes this long to be revised, and costs no question meanwhile. */
  private static final Duration REFUSAL_TIME = Duration.ofSeconds(5);

  private static final int MAX_REFUSALS = 10_000;

  /** A device is known for so long after it last asked: longer than most pause. */
  private static final Duration KNOWN_TIME = Duration.ofDays(7);

  /** In an outage, how long a grant is believed before hawkBit is tried again. */
  private static final Duration RETRY_TIME = Duration.ofSeconds(5);

  /** One failure may be of one question; so many in a row are hawkBit's. */
  private static final int OUTAGE_FAILURES = 8;

  /** In an outage hawkBit is tried this often. */
  private static final Duration TRIAL_TIME = Duration.ofSeconds(1);

  private final Asking asking;
  private final long grantNanos;
  private final long outageNanos;
  private final LongSupplier nanoClock;
  private final Cache<Question.Key, Entry> entries;
  private final Cache<Question.Key, Answer> refusals;
  private final Cache<Long, Boolean> known;
  private final ConcurrentHashMap<Question.Key, CompletableFuture<Answer>> underWay =
      new ConcurrentHashMap<>();

  /** Devices of a fleet are granted the same: once in memory. */
  private final Interner<Granted> interner = Interner.newWeakInterner();

  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicLong nextTrial;

  /** How hawkBit is asked. */
  @FunctionalInterface
  interface Asking {
    /**
     * Asks; must not block.
     *
     * @param asker the client that wants to know
     */
    CompletableFuture<Answer> ask(Question question, Asker asker);
  }

  /**
   * @param nanoClock tells the time, in nanoseconds since some moment
   */
  Grants(
      Asking asking,
      Duration grantTime,
      Duration outageTime,
      int maxGrants,
      LongSupplier nanoClock) {
    this.asking = asking;
    this.grantNanos = grantTime.toNanos();
    this.outageNanos = outageTime.toNanos();
    this.nanoClock = nanoClock;
    this.nextTrial = new AtomicLong(nanoClock.getAsLong());
    this.entries = cache(maxGrants).expireAfterAccess(grantTime.plus(outageTime)).build();
    this.refusals = cache(MAX_REFUSALS).expireAfterWrite(REFUSAL_TIME).build();
    this.known = cache(maxGrants).expireAfterAccess(KNOWN_TIME).build();
  }

  private Caffeine<Object, Object> cache(int most) {
    return Caffeine.newBuilder()
        .executor(Runnable::run)
        .ticker(nanoClock::getAsLong)
        .maximumSize(most);
  }

  /**
   * Returns whose turn a question takes: the device's own if hawkBit has granted it something, else
   * that of its address. No I/O.
   *
   * @param sender of the request, as clients share what is asked for; null if nobody knows
   */
  Asker asker(Question question, @Nullable Object sender) {
    Long device = question.device();
    if (known.getIfPresent(device) == null) {
      return Asker.stranger(sender);
    }
    // Devices with a gateway token may call themselves what they like.
    return Asker.known(question.isOfGateway() && sender != null ? sender : device);
  }

  /** The answer if it is known. No I/O. */
  Optional<Answer> peek(Question.Key key) {
    Entry entry = entries.getIfPresent(key);
    if (entry != null) {
      return entry.goodUntil - nanoClock.getAsLong() > 0
          ? Optional.of(entry.granted)
          : Optional.empty();
    }
    return Optional.ofNullable(refusals.getIfPresent(key));
  }

  /**
   * The answer, known or not. Never fails.
   *
   * @param client that wants to know; null if it is unknown
   */
  CompletableFuture<Answer> find(Question question, @Nullable Object client) {
    Question.Key key = question.key();
    Optional<Answer> known = peek(key);
    if (known.isPresent()) {
      return CompletableFuture.completedFuture(known.get());
    }
    CompletableFuture<Answer> mine = new CompletableFuture<>();
    CompletableFuture<Answer> others = underWay.putIfAbsent(key, mine);
    if (others != null) {
      return others;
    }
    // Between the look above and the entry in underWay the answer may have come.
    Optional<Answer> meanwhile = peek(key);
    CompletableFuture<Answer> answer =
        meanwhile.isPresent()
            ? CompletableFuture.completedFuture(meanwhile.get())
            : mayAsk()
                ? asking.ask(question, asker(question, client))
                : CompletableFuture.completedFuture(
                    new Unavailable("hawkBit has not answered for a while"));
    var _ =
        answer
            .exceptionally(failure -> new Unavailable(String.valueOf(failure)))
            .thenAccept(found -> {
              Answer settled = meanwhile.isPresent() ? found : settle(question, found);
              underWay.remove(key, mine);
              mine.complete(settled);
            });
    return mine;
  }

  /** The artifact is not where it should be: the next question is asked. */
  void forget(Question.Key key) {
    entries.invalidate(key);
  }

  /** How many grants are remembered, good or not. */
  long size() {
    return entries.estimatedSize();
  }

  private boolean mayAsk() {
    if (failures.get() < OUTAGE_FAILURES) {
      return true;
    }
    long now = nanoClock.getAsLong();
    long trial = nextTrial.get();
    return now - trial >= 0 && nextTrial.compareAndSet(trial, now + TRIAL_TIME.toNanos());
  }

  private Answer settle(Question question, Answer answer) {
    Question.Key key = question.key();
    switch (answer) {
      case Granted _ -> known.put(question.device(), Boolean.TRUE);
      case Unauthorized _ -> known.invalidate(question.device());
      case NotFound _, Unavailable _ -> {}
    }
    if (!(answer instanceof Unavailable)) {
      failures.set(0);
    }
    return switch (answer) {
      case Granted granted -> {
        Granted shared = interner.intern(granted);
        long now = nanoClock.getAsLong();
        refusals.invalidate(key);
        entries.put(key, new Entry(shared, now, now + grantNanos));
        yield shared;
      }
      case Unauthorized _, NotFound _ -> {
        entries.invalidate(key);
        refusals.put(key, answer);
        yield answer;
      }
      case Unavailable(_, boolean isOutage) -> {
        if (isOutage) {
          failures.incrementAndGet();
        }
        Entry entry = entries.getIfPresent(key);
        long now = nanoClock.getAsLong();
        if (entry == null || now - entry.confirmedAt >= grantNanos + outageNanos) {
          yield answer;
        }
        long last = entry.confirmedAt + grantNanos + outageNanos;
        long retry = Math.min(RETRY_TIME.toNanos(), last - now);
        entries.put(key, new Entry(entry.granted, entry.confirmedAt, now + retry));
        yield entry.granted;
      }
    };
  }

  /**
   * @param confirmedAt when hawkBit said so
   * @param goodUntil when hawkBit is to be asked again
   */
  private record Entry(Granted granted, long confirmedAt, long goodUntil) {}
}
