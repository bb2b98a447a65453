package io.artifactserver.core.progress;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.progress.ProgressStore.Addition;
import io.artifactserver.core.progress.ProgressStore.ArtifactProgress;
import io.artifactserver.core.range.ByteRange;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes down what is sent to devices, and writes it into the store in batches. Thread-safe.
 *
 * <p>Only what the store does not have yet is in memory: at most so many devices, of which at most
 * so many named themselves from one address. A device that has its bytes in many pieces counts as
 * several. What comes beyond is not taken down, and counted.
 */
public final class ProgressBook {
  /** Longest name of a device, in characters. */
  public static final int MAX_NAME_LENGTH = 512;

  /** So many pieces of one device need about as much memory as another device. */
  private static final int RUNS_OF_DEVICE = 16;

  private final ProgressStore store;
  private final InstantSource clock;
  private final int maxPending;
  private final int maxPendingOfOrigin;
  private final Map<Key, Pending> pending = new ConcurrentHashMap<>();
  private final Queue<Key> order = new ConcurrentLinkedQueue<>();

  /** What is on its way into the store; stays until it is there. */
  private final Queue<Writing> writing = new ConcurrentLinkedQueue<>();

  private final AtomicInteger size = new AtomicInteger();
  private final Map<Object, Integer> sizeByOrigin = new ConcurrentHashMap<>();
  private final AtomicLong lost = new AtomicLong();
  private final Consumer<List<Addition>> listener;

  /**
   * @param maxPending most devices whose progress is not in the store yet
   * @param maxPendingOfOrigin most of them that named themselves from one address
   * @param listener told what the store has now of each device of which it got something; must not
   *     block
   */
  public ProgressBook(
      ProgressStore store,
      InstantSource clock,
      int maxPending,
      int maxPendingOfOrigin,
      Consumer<List<Addition>> listener) {
    this.store = store;
    this.clock = clock;
    this.maxPending = maxPending;
    this.maxPendingOfOrigin = maxPendingOfOrigin;
    this.listener = listener;
  }

  /** Returns where it is taken down what a device is sent of the subject. */
  public Entry entry(ProgressSubject subject, Device device) {
    return new Entry(new Key(subject, device.name()), device.origin());
  }

  /**
   * Writes what came first into the store.
   *
   * @param limit most rows
   * @return how many rows were written
   * @throws CatalogUnavailableException if the store does not answer; nothing is lost
   */
  public synchronized int flush(int limit) {
    Key key;
    while (writing.size() < limit && (key = order.poll()) != null) {
      take(key);
    }
    return write();
  }

  private synchronized void flush(String device) {
    pending.keySet().stream().filter(key -> key.device.equals(device)).toList().forEach(this::take);
    var _ = write();
  }

  /** It is never in neither of the two, where a reader would miss it. */
  private void take(Key key) {
    pending.computeIfPresent(
        key,
        (_, taken) -> {
          taken.close();
          writing.add(new Writing(key, taken));
          return null;
        });
  }

  private int write() {
    List<Addition> batch = writing.stream().map(Writing::addition).toList();
    if (batch.isEmpty()) {
      return 0;
    }
    List<Addition> stored;
    try {
      stored = store.add(batch);
    } catch (CatalogUnavailableException e) {
      throw e;
    } catch (RuntimeException e) {
      // What the store will never take must not keep the rest from it.
      lost.addAndGet(batch.size());
      written();
      throw e;
    }
    written();
    listener.accept(stored);
    return batch.size();
  }

  /**
   * Returns a page of the devices that have something of the subject, by name: what is in the store
   * and what is about to be.
   *
   * @param after every name comes behind it; empty for the first page
   * @param limit of the page's size
   */
  public List<DeviceProgress> list(ProgressSubject subject, String after, int limit) {
    SortedMap<String, DeviceProgress> merged = recent(subject, after);
    for (DeviceProgress stored : store.list(subject, after, limit)) {
      merged.merge(stored.device(), stored, (recent, _) -> stored.withRecent(recent));
    }
    return merged.values().stream().limit(limit).toList();
  }

  /**
   * Returns a page of the devices that had something of the subject's repository and do not have
   * all of the subject, by name. A device that is new in the repository is in it as soon as the
   * store has it.
   *
   * @param after every name comes behind it; empty for the first page
   * @param limit of the page's size
   */
  public List<DeviceProgress> missing(ProgressSubject subject, String after, int limit) {
    List<DeviceProgress> missing = new ArrayList<>();
    String from = after;
    List<DeviceProgress> page;
    do {
      Map<String, DeviceProgress> recent = recent(subject, from);
      page = store.missing(subject, from, limit);
      for (DeviceProgress stored : page) {
        from = stored.device();
        DeviceProgress both = stored.withRecent(recent.getOrDefault(from, stored));
        if (both.delivered().count() < subject.length()) {
          missing.add(both);
        }
      }
    } while (page.size() == limit && missing.size() < limit);
    return missing.stream().limit(limit).toList();
  }

  /**
   * Returns what a device has of artifacts that are there, the newest first. What is about to be in
   * the store is written first.
   *
   * @param limit most artifacts
   */
  public List<ArtifactProgress> ofDevice(String device, int limit) {
    flush(device);
    return store.ofDevice(device, limit);
  }

  /** What the store does not have yet, or is about to have. */
  private SortedMap<String, DeviceProgress> recent(ProgressSubject subject, String after) {
    // In the order in which it moves: what moves meanwhile is seen twice, and is in the set once.
    Set<Writing> later = new LinkedHashSet<>();
    pending.forEach((key, value) -> later.add(new Writing(key, value)));
    Set<Writing> found = new LinkedHashSet<>(writing);
    found.addAll(later);
    SortedMap<String, DeviceProgress> merged = new TreeMap<>(ProgressBook::byCodePoint);
    for (Writing value : found) {
      if (value.key.subject.equals(subject) && byCodePoint(value.key.device, after) > 0) {
        merged.merge(value.key.device, value.addition().progress(), DeviceProgress::then);
      }
    }
    return merged;
  }

  private void written() {
    writing.forEach(each -> ended(each.pending.origin, each.pending.weight.get()));
    writing.clear();
  }

  /**
   * Returns how many devices have progress that is not in the store yet; one with many pieces
   * counts as several.
   */
  public int size() {
    return size.get();
  }

  /** Returns how many deliveries were not taken down because there was too much already. */
  public long lost() {
    return lost.get();
  }

  private boolean begun(@Nullable Object origin, int weight) {
    if (size.addAndGet(weight) > maxPending) {
      size.addAndGet(-weight);
      return false;
    }
    if (origin != null && sizeByOrigin.merge(origin, weight, Integer::sum) > maxPendingOfOrigin) {
      ended(origin, weight);
      return false;
    }
    return true;
  }

  private void ended(@Nullable Object origin, int weight) {
    size.addAndGet(-weight);
    if (origin != null) {
      sizeByOrigin.computeIfPresent(
          origin, (_, count) -> count == weight ? null : Integer.valueOf(count - weight));
    }
  }

  /** As the database sorts: the order of UTF-16 differs beyond the basic plane. */
  private static int byCodePoint(String one, String other) {
    int length = Math.min(one.length(), other.length());
    for (int i = 0; i < length; i++) {
      char a = one.charAt(i);
      char b = other.charAt(i);
      if (a != b) {
        boolean isOrdinary = Character.isSurrogate(a) == Character.isSurrogate(b);
        return isOrdinary ? Character.compare(a, b) : Character.isSurrogate(a) ? 1 : -1;
      }
    }
    return Integer.compare(one.length(), other.length());
  }

  /**
   * A device. Immutable.
   *
   * @param name of the device
   * @param origin an address from which anybody can name devices; null if the device has shown who
   *     it is
   */
  public record Device(String name, @Nullable Object origin) {}

  /** Takes down what one device is sent of one subject. Thread-safe. No I/O. */
  public final class Entry {
    private final Key key;
    private final @Nullable Object origin;
    private final boolean hasGoodName;

    /** Where the latest was taken down; it may be closed, and is not kept when it is stored. */
    private final AtomicReference<@Nullable WeakReference<Pending>> latest =
        new AtomicReference<>();

    private Entry(Key key, @Nullable Object origin) {
      this.key = key;
      this.origin = origin;
      this.hasGoodName = key.device.length() <= MAX_NAME_LENGTH && key.device.indexOf('\0') < 0;
    }

    /**
     * The device was sent a range.
     *
     * @param range of the subject's bytes
     * @param took how long it took until now
     */
    public void delivered(ByteRange range, Duration took) {
      if (!range.isEmpty()) {
        takeDown(range, took, null);
      }
    }

    /** A download of the device ended before its last byte. */
    public void failed(DeliveryError.Reason reason) {
      takeDown(new ByteRange(0, 0), Duration.ZERO, reason);
    }

    private void takeDown(ByteRange range, Duration took, DeliveryError.@Nullable Reason error) {
      // As exact as the store.
      Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
      WeakReference<Pending> before = latest.get();
      Pending known = before == null ? null : before.get();
      // What is on its way into the store takes no more.
      while (known == null || !known.add(range, took, now, error)) {
        known = hasGoodName ? pending(key, origin) : null;
        if (known == null) {
          lost.incrementAndGet();
          return;
        }
        latest.set(new WeakReference<>(known));
      }
    }
  }

  /** Returns null if there is no room for another one. */
  private @Nullable Pending pending(Key key, @Nullable Object origin) {
    Pending fresh = new Pending(origin);
    Pending found = pending.computeIfAbsent(key, _ -> begun(origin, 1) ? fresh : null);
    if (fresh.equals(found)) {
      order.add(key);
    }
    return found;
  }

  private record Key(ProgressSubject subject, String device) {}

  private record Writing(Key key, Pending pending) {
    Addition addition() {
      return new Addition(key.subject, pending.progress(key.device));
    }
  }

  /** What one device was sent. Thread-safe. */
  private final class Pending {
    private final @Nullable Object origin;
    private final GatheredBytes delivered = new GatheredBytes();
    private final AtomicReference<Sending> sending = new AtomicReference<>(Sending.NEVER);
    private final AtomicReference<@Nullable DeliveryError> lastError = new AtomicReference<>();
    private final AtomicBoolean isClosed = new AtomicBoolean();

    /** As how many devices it counts. */
    private final AtomicInteger weight = new AtomicInteger(1);

    private Pending(@Nullable Object origin) {
      this.origin = origin;
    }

    /**
     * @param error why it broke off; null if it did not
     * @return false if it is closed
     */
    synchronized boolean add(
        ByteRange range, Duration took, Instant now, DeliveryError.@Nullable Reason error) {
      if (isClosed.get()) {
        return false;
      }
      if (!range.isEmpty()) {
        delivered.add(range);
      }
      if (error != null) {
        lastError.set(new DeliveryError(error, now));
      }
      sending.set(
          sending.get().then(new Sending(now.minus(took), now, range.length(), 0, Duration.ZERO)));
      weigh(1 + delivered.runs() / RUNS_OF_DEVICE - weight.get());
      return true;
    }

    /** Where there is no room for more runs than it weighs, some are forgotten. */
    private void weigh(int more) {
      if (more > 0 && !begun(origin, more)) {
        lost.addAndGet(delivered.shrink(weight.get() * RUNS_OF_DEVICE - 1));
        return;
      }
      if (more < 0) {
        ended(origin, -more);
      }
      weight.addAndGet(more);
    }

    /** Takes no more from now on. */
    synchronized void close() {
      isClosed.set(true);
    }

    synchronized DeviceProgress progress(String device) {
      return new DeviceProgress(device, delivered.bytes(), sending.get(), lastError.get());
    }
  }
}
