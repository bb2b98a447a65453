package io.artifactserver.core.progress;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.progress.ProgressStore.Added;
import io.artifactserver.core.progress.ProgressStore.Addition;
import io.artifactserver.core.progress.ProgressStore.ArtifactProgress;
import io.artifactserver.core.range.ByteRange;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes down what is sent to devices, and writes it into the store in batches. Thread-safe.
 *
 * <p>Only what the store does not have yet is in memory: at most so many devices, of which at most
 * so many named themselves from one address, and a caller named no more than it leaves to others. A
 * device that has its bytes in many pieces counts as several. In the store there are at most so
 * many rows, and with names that one caller chose at most so many begin a day. Devices beyond that
 * are counted and not kept.
 */
public final class ProgressBook {
  /** Longest name of a device, in characters. */
  public static final int MAX_NAME_LENGTH = 512;

  private final ProgressStore store;
  private final InstantSource clock;
  private final PendingProgress.Room room;
  private final Beginnings beginnings;
  private final Map<PendingProgress.Key, PendingProgress> pending = new ConcurrentHashMap<>();
  private final Queue<PendingProgress.Key> order = new ConcurrentLinkedQueue<>();

  /** Progress on its way into the store; stays until it is there. */
  private final Queue<PendingProgress> writing = new ConcurrentLinkedQueue<>();

  private final Consumer<List<Addition>> listener;

  /**
   * @param bounds of memory and of the store
   * @param listener told what the store has now of each device of which it got something; must not
   *     block
   */
  public ProgressBook(
      ProgressStore store, InstantSource clock, Bounds bounds, Consumer<List<Addition>> listener) {
    this.store = store;
    this.clock = clock;
    this.room = new PendingProgress.Room(bounds.maxPending, bounds.maxPendingOfOrigin);
    this.beginnings = new Beginnings(bounds.maxRows, bounds.maxNewOfCaller);
    this.listener = listener;
  }

  /** Returns where it is taken down what a device is sent of the subject. */
  public Entry entry(ProgressSubject subject, Device device) {
    return new Entry(new PendingProgress.Key(subject, device.name()), device);
  }

  /**
   * Writes what came first into the store.
   *
   * @param limit most rows
   * @return how many rows were written
   * @throws CatalogUnavailableException if the store does not answer; nothing is lost
   */
  public synchronized int flush(int limit) {
    PendingProgress.Key key;
    while (writing.size() < limit && (key = order.poll()) != null) {
      take(key);
    }
    return write();
  }

  private synchronized void flush(String device) {
    pending.keySet().stream()
        .filter(key -> key.device().equals(device))
        .toList()
        .forEach(this::take);
    var _ = write();
  }

  /** It is never in neither of the two, where a reader would miss it. */
  private void take(PendingProgress.Key key) {
    pending.computeIfPresent(
        key,
        (_, taken) -> {
          taken.close();
          writing.add(taken);
          return null;
        });
  }

  private int write() {
    List<Addition> batch = writing.stream().map(PendingProgress::addition).toList();
    if (batch.isEmpty()) {
      return 0;
    }
    Added added;
    try {
      added = store.add(batch, beginnings.ofBatch(clock.instant()));
    } catch (CatalogUnavailableException e) {
      throw e;
    } catch (RuntimeException e) {
      // Progress that the store will never take must not hold up the rest.
      room.lose(batch.size());
      written();
      throw e;
    }
    written();
    beginnings.began(added.begun());
    room.lose(batch.size() - added.rows().size());
    listener.accept(added.rows());
    return batch.size();
  }

  /**
   * Finds out how many rows the store has. To be called now and then: rows also go.
   *
   * @throws CatalogUnavailableException if the store does not answer
   */
  public void count() {
    beginnings.counted(store.count());
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
   * Returns what a device has of artifacts that are there, the newest first. Pending rows are
   * written to the store first.
   *
   * @param limit most artifacts
   */
  public List<ArtifactProgress> ofDevice(String device, int limit) {
    flush(device);
    return store.ofDevice(device, limit);
  }

  /** Progress that the store does not have yet, or is about to have. */
  private SortedMap<String, DeviceProgress> recent(ProgressSubject subject, String after) {
    // In the order in which it moves: what moves meanwhile is seen twice, and is in the set once.
    List<PendingProgress> later = List.copyOf(pending.values());
    Set<PendingProgress> found = new LinkedHashSet<>(writing);
    found.addAll(later);
    SortedMap<String, DeviceProgress> merged = new TreeMap<>(ProgressBook::byCodePoint);
    for (PendingProgress each : found) {
      String device = each.key().device();
      if (each.key().subject().equals(subject) && byCodePoint(device, after) > 0) {
        merged.merge(device, each.addition().progress(), DeviceProgress::then);
      }
    }
    return merged;
  }

  private void written() {
    writing.forEach(PendingProgress::giveBack);
    writing.clear();
  }

  /**
   * Returns how many devices have progress that is not in the store yet; one with many pieces
   * counts as several.
   */
  public int size() {
    return room.taken();
  }

  /** Returns how many deliveries were not taken down because there was too much already. */
  public long lost() {
    return room.lost();
  }

  /** As the database sorts: by UTF-8, from which the order of UTF-16 differs. */
  private static int byCodePoint(String one, String other) {
    return Arrays.compareUnsigned(
        one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The limits of what is taken down. Immutable.
   *
   * @param maxPending most devices whose progress is not in the store yet
   * @param maxPendingOfOrigin most of them that named themselves from one address
   * @param maxRows most rows in the store: one for each device and subject
   * @param maxNewOfCaller most rows that begin in a day, in UTC, with names that one caller chose
   */
  public record Bounds(int maxPending, int maxPendingOfOrigin, long maxRows, int maxNewOfCaller) {}

  /**
   * A device. Immutable.
   *
   * @param name of the device
   * @param namedBy the token, or the address, that chose the name; null if the device's credentials
   *     have it
   * @param isStranger whether that is an address, from which anybody can name devices
   */
  public record Device(String name, @Nullable Object namedBy, boolean isStranger) {
    /** One whose credentials have its name. */
    public static Device proved(String name) {
      return new Device(name, null, false);
    }

    /** One whose name was chosen by a caller with credentials, which many devices may share. */
    public static Device named(String name, Object caller) {
      return new Device(name, caller, false);
    }

    /** One that anybody at an address may be. */
    public static Device claimed(String name, Object address) {
      return new Device(name, address, true);
    }
  }

  /** Takes down what one device is sent of one subject. Thread-safe. No I/O. */
  public final class Entry {
    private final PendingProgress.Key key;
    private final Device device;
    private final boolean hasGoodName;

    /** Where the latest was taken down; it may be closed, and is not kept when it is stored. */
    private final AtomicReference<@Nullable WeakReference<PendingProgress>> latest =
        new AtomicReference<>();

    private Entry(PendingProgress.Key key, Device device) {
      this.key = key;
      this.device = device;
      this.hasGoodName = key.device().length() <= MAX_NAME_LENGTH && key.device().indexOf('\0') < 0;
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

    /** The device said that it is about it. */
    public void seen() {
      takeDown(new ByteRange(0, 0), Duration.ZERO, null);
    }

    /** A download of the device ended before its last byte, or was in vain. */
    public void failed(DeliveryError.Reason reason) {
      takeDown(new ByteRange(0, 0), Duration.ZERO, reason);
    }

    private void takeDown(ByteRange range, Duration took, DeliveryError.@Nullable Reason error) {
      // As exact as the store.
      Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
      WeakReference<PendingProgress> before = latest.get();
      PendingProgress known = before == null ? null : before.get();
      // An entry on its way into the store takes no more.
      while (known == null || !known.add(range, took, now, error)) {
        known = hasGoodName ? pending(key, device) : null;
        if (known == null) {
          room.lose(1);
          return;
        }
        latest.set(new WeakReference<>(known));
      }
    }
  }

  /** Returns null if there is no room for another one. */
  private @Nullable PendingProgress pending(PendingProgress.Key key, Device device) {
    PendingProgress fresh = new PendingProgress(key, device, room);
    PendingProgress found = pending.computeIfAbsent(key, _ -> room.take(device, 1) ? fresh : null);
    if (fresh.equals(found)) {
      order.add(key);
    }
    return found;
  }
}
