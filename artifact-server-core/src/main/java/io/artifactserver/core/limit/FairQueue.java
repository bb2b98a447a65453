package io.artifactserver.core.limit;

import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A queue in which clients take turns, however many entries each of them has. Between two turns of
 * a client every other one that waits has one. A client whose last entry leaves gives its turn up,
 * and comes last when it is back. No two entries are equal. Not thread-safe.
 *
 * @param <C> the client that an entry counts for
 * @param <E> an entry
 */
public final class FairQueue<C, E> {
  private final Supplier<SequencedSet<E>> order;

  /** The first client has the next turn. None has an empty set. */
  private final LinkedHashMap<C, SequencedSet<E>> clients = new LinkedHashMap<>();

  /** Of all entries; the sum over the clients would take a look at each. */
  private final AtomicInteger size = new AtomicInteger();

  private FairQueue(Supplier<SequencedSet<E>> order) {
    this.order = order;
  }

  /** Returns an empty queue. The entries of one client leave in the order in which they came. */
  public static <C, E> FairQueue<C, E> inOrder() {
    return new FairQueue<>(LinkedHashSet::new);
  }

  /**
   * Returns an empty queue.
   *
   * @param order in which the entries of one client leave; no two are the same in it
   */
  public static <C, E> FairQueue<C, E> by(Comparator<E> order) {
    return new FairQueue<>(() -> new TreeSet<>(order));
  }

  /** Adds an entry. */
  public void add(C client, E entry) {
    if (clients.computeIfAbsent(client, _ -> order.get()).add(entry)) {
      size.incrementAndGet();
    }
  }

  /**
   * Adds an entry that leaves before all others of its client.
   *
   * @throws UnsupportedOperationException if the queue has an order of its own
   */
  public void addFirst(C client, E entry) {
    SequencedSet<E> own = clients.computeIfAbsent(client, _ -> order.get());
    int before = own.size();
    own.addFirst(entry);
    size.addAndGet(own.size() - before);
  }

  /** Takes the entry whose turn it is; empty if there is none. */
  public Optional<E> poll() {
    return poll(_ -> true);
  }

  /**
   * Takes the entry whose turn it is among the clients that may have one; the turns of others are
   * kept. Looks at every client before it.
   */
  public Optional<E> poll(Predicate<C> mayHaveTurn) {
    Iterator<Map.Entry<C, SequencedSet<E>>> turns = clients.entrySet().iterator();
    while (turns.hasNext()) {
      Map.Entry<C, SequencedSet<E>> turn = turns.next();
      C client = turn.getKey();
      if (mayHaveTurn.test(client)) {
        SequencedSet<E> own = turn.getValue();
        E entry = own.removeFirst();
        size.decrementAndGet();
        turns.remove();
        if (!own.isEmpty()) {
          clients.put(client, own);
        }
        return Optional.of(entry);
      }
    }
    return Optional.empty();
  }

  /**
   * Removes an entry that waits no longer.
   *
   * @return whether it was there
   */
  public boolean remove(C client, E entry) {
    SequencedSet<E> own = clients.get(client);
    if (own == null || !own.remove(entry)) {
      return false;
    }
    size.decrementAndGet();
    if (own.isEmpty()) {
      clients.remove(client);
    }
    return true;
  }

  /** Gives the turn of a client to the others: it comes last. */
  public void yieldTurn(C client) {
    SequencedSet<E> own = clients.get(client);
    if (own != null) {
      clients.putLast(client, own);
    }
  }

  /** Whether nothing waits. */
  public boolean isEmpty() {
    return clients.isEmpty();
  }

  /** Returns how many entries wait. */
  public int size() {
    return size.get();
  }

  /** Returns how many entries of a client wait. */
  public int size(C client) {
    SequencedSet<E> own = clients.get(client);
    return own == null ? 0 : own.size();
  }

  /** Returns a copy of the clients that wait, in the order of their turns. */
  public Set<C> clients() {
    return new LinkedHashSet<>(clients.keySet());
  }
}
