package io.artifactserver.rest.server.guard;

import io.artifactserver.core.limit.Network;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Counts the memory that peers make the server hold before it has answered: heads that came in
 * part, and those of requests whose answers nobody takes. All of it together is bounded. Beyond the
 * bound the client that holds most loses its largest connections, until there is room again: a
 * newcomer with a small request is never the one to go. Thread-safe.
 */
public final class Holdings {
  /** Beyond the limit, this part of it is freed at once: looking for the largest has its price. */
  private static final int FREED_SHARE = 8;

  /** An ordinary request, in bytes: any client's connection may hold as much. */
  private static final long MODEST = 10 * 1024;

  private final long limit;

  /**
   * The client that held most when there was no room. While there is little room, it keeps what it
   * has and gets no more. Otherwise each new head would fill the memory that another has just
   * freed.
   */
  private final AtomicReference<@Nullable Object> greedy = new AtomicReference<>();

  private final AtomicLong total = new AtomicLong();
  private final Set<Holding> holders = ConcurrentHashMap.newKeySet();
  private final ReentrantLock evicting = new ReentrantLock();

  /**
   * @param limit in bytes
   */
  Holdings(long limit) {
    this.limit = limit;
  }

  /**
   * A connection, which holds nothing yet.
   *
   * @param client that it counts for, or null if its address says nothing
   * @param end ends it
   */
  Holding open(@Nullable Network client, Runnable end) {
    return new Holding(client, end);
  }

  /** In bytes. */
  public long total() {
    return total.get();
  }

  private void evict() {
    // The second one finds it done.
    if (!evicting.tryLock()) {
      return;
    }
    try {
      List<List<Held>> byClient =
          holders.stream()
              .map(holder -> new Held(holder, holder.bytes()))
              .collect(Collectors.groupingBy(held -> held.holder().client()))
              .values()
              .stream()
              .sorted(Comparator.comparingLong(Holdings::sum).reversed())
              .toList();
      if (!byClient.isEmpty()) {
        greedy.set(byClient.getFirst().getFirst().holder().client());
      }
      for (List<Held> its : byClient) {
        for (Held held :
            its.stream().sorted(Comparator.comparingLong(Held::bytes).reversed()).toList()) {
          if (hasRoom()) {
            return;
          }
          held.holder().evict();
        }
      }
    } finally {
      evicting.unlock();
    }
  }

  private boolean hasRoom() {
    return total.get() <= limit - limit / FREED_SHARE;
  }

  private static long sum(List<Held> all) {
    return all.stream().mapToLong(Held::bytes).sum();
  }

  /**
   * @param bytes as they were at one moment: they change all the time
   */
  private record Held(Holding holder, long bytes) {}

  /** The memory that one connection holds. Thread-safe. */
  public final class Holding implements AutoCloseable {
    private final @Nullable Network client;
    private final Runnable end;
    private long bytes;
    private boolean isClosed;

    private Holding(@Nullable Network client, Runnable end) {
      this.client = client;
      this.end = end;
    }

    /**
     * It holds more, or less if negative.
     *
     * @return the bytes that it holds now
     */
    public long add(long more) {
      long now;
      synchronized (this) {
        if (isClosed) {
          return 0;
        }
        if (bytes == 0) {
          holders.add(this);
        }
        bytes += more;
        if (bytes == 0) {
          holders.remove(this);
        }
        now = bytes;
        total.addAndGet(more);
      }
      if (more > 0 && now > MODEST && !hasRoom() && client().equals(greedy.get())) {
        evict();
        return 0;
      }
      if (more > 0 && total.get() > limit) {
        Holdings.this.evict();
      }
      return bytes();
    }

    /** In bytes. */
    public synchronized long bytes() {
      return bytes;
    }

    /** It holds nothing any more, and never will. */
    @Override
    public synchronized void close() {
      isClosed = true;
      holders.remove(this);
      total.addAndGet(-bytes);
      bytes = 0;
    }

    private Object client() {
      return client == null ? this : client;
    }

    private void evict() {
      close();
      end.run();
    }
  }
}
