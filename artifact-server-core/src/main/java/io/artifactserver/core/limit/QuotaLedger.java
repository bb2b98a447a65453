package io.artifactserver.core.limit;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reserves room in repositories, so that two uploads cannot both take the last of it. Thread-safe;
 * exact as long as every artifact comes in through a reservation of the one server that an
 * installation has.
 *
 * <p>The database knows what a repository holds; the ledger remembers it and adds what is on its
 * way in. Deletions are not announced here: what is remembered is then too high, so the database is
 * asked again before an upload is refused. Nothing is asked for a repository without a quota.
 */
public final class QuotaLedger {
  private final QuotaStore store;

  /** As many as there are repositories that took an upload in. */
  private final Map<String, Account> accounts = new ConcurrentHashMap<>();

  public QuotaLedger(QuotaStore store) {
    this.store = store;
  }

  /**
   * Reserves room for one artifact.
   *
   * @param repository that exists
   * @param length in bytes; 0 for a body of unknown length, which then {@link Reservation#growTo
   *     grows} the reservation
   * @return for one thread, which closes it
   */
  public Reservation reserve(String repository, long length) throws OverQuotaException {
    return reserve(repository, new RepositoryUsage(length, 1));
  }

  /**
   * As {@link #reserve(String, long)}, for bytes that become a part of an artifact: another
   * reservation {@link Reservation#absorb absorbs} this one.
   */
  public Reservation reserveBytes(String repository, long length) throws OverQuotaException {
    return reserve(repository, new RepositoryUsage(length, 0));
  }

  private Reservation reserve(String repository, RepositoryUsage first) throws OverQuotaException {
    Account account = account(repository);
    account.reserve(first);
    return new Reservation(account, first);
  }

  /**
   * Replaces the quota of a repository. Uploads that run count from now on; nothing is deleted.
   *
   * @return false if there is no such repository
   */
  public boolean put(String repository, RepositoryQuota quota) {
    Account account = account(repository);
    account.lock.writeLock().lock();
    try {
      boolean exists = store.put(repository, quota);
      account.forget();
      if (!exists) {
        accounts.remove(repository, account);
      }
      return exists;
    } finally {
      account.lock.writeLock().unlock();
    }
  }

  /** Returns the quota and what counts against it. Asks the database. */
  public Standing standing(String repository) {
    Account known = accounts.get(repository);
    return new Standing(
        store.quota(repository),
        store.usage(repository),
        known == null ? RepositoryUsage.EMPTY : known.state.get().reserved());
  }

  private Account account(String repository) {
    return accounts.computeIfAbsent(repository, Account::new);
  }

  /**
   * The quota of a repository and what counts against it. Immutable.
   *
   * @param used by artifacts that are there
   * @param reserved for uploads that run
   */
  public record Standing(RepositoryQuota quota, RepositoryUsage used, RepositoryUsage reserved) {}

  /** Room for one upload; used by one thread. Closing gives back what no artifact has taken. */
  public static final class Reservation implements AutoCloseable {
    private final Account account;
    private final AtomicReference<RepositoryUsage> held;

    private Reservation(Account account, RepositoryUsage held) {
      this.account = account;
      this.held = new AtomicReference<>(held);
    }

    /**
     * Makes the reservation at least {@code length} bytes.
     *
     * @throws OverQuotaException if there is no room; the reservation is as it was
     */
    public void growTo(long length) throws OverQuotaException {
      RepositoryUsage before = held.get();
      if (length > before.bytes()) {
        account.reserve(new RepositoryUsage(length - before.bytes(), 0));
        held.set(new RepositoryUsage(length, before.artifacts()));
      }
    }

    /**
     * Takes over the room of another reservation in the same repository, which has none then. The
     * room is free for nobody meanwhile.
     */
    public void absorb(Reservation other) {
      if (other.account != account) {
        throw new IllegalArgumentException(
            "Room in %s is none in %s".formatted(other.account.repository, account.repository));
      }
      held.set(held.get().plus(other.held.getAndSet(RepositoryUsage.EMPTY)));
    }

    /**
     * Runs what may add the artifact. While it runs nobody reads how full the repository is: the
     * artifact would count twice, or not at all.
     *
     * @param isAdded whether the result says that the artifact was added
     */
    public <T> T adding(Supplier<T> addition, Predicate<T> isAdded) {
      account.lock.readLock().lock();
      try {
        T result = addition.get();
        if (isAdded.test(result)) {
          account.settle(held.getAndSet(RepositoryUsage.EMPTY));
        }
        return result;
      } catch (RuntimeException | Error e) {
        // Whether the row is there is unknown.
        account.forget();
        throw e;
      } finally {
        account.lock.readLock().unlock();
      }
    }

    @Override
    public void close() {
      account.giveBack(held.getAndSet(RepositoryUsage.EMPTY));
    }
  }

  /**
   * @param known the database's answer, with everything that came in since; null if it has to be
   *     asked
   * @param reserved for uploads that run
   */
  private record State(@Nullable Known known, RepositoryUsage reserved) {}

  private record Known(RepositoryQuota quota, RepositoryUsage used) {}

  /** Read-locked while an artifact is added, write-locked while the database is asked. */
  private final class Account {
    private final String repository;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private final AtomicReference<State> state =
        new AtomicReference<>(new State(null, RepositoryUsage.EMPTY));

    private Account(String repository) {
      this.repository = repository;
    }

    private void reserve(RepositoryUsage more) throws OverQuotaException {
      if (tryReserve(more)) {
        return;
      }
      lock.writeLock().lock();
      try {
        RepositoryQuota quota = store.quota(repository);
        Known asked =
            new Known(
                quota,
                quota.equals(RepositoryQuota.NONE)
                    ? RepositoryUsage.EMPTY
                    : store.usage(repository));
        state.updateAndGet(before -> new State(asked, before.reserved));
        if (!tryReserve(more)) {
          throw new OverQuotaException(
              repository, quota, asked.used.plus(state.get().reserved).plus(more));
        }
      } finally {
        lock.writeLock().unlock();
      }
    }

    /** Returns false if there is no room, or nobody knows. */
    private boolean tryReserve(RepositoryUsage more) {
      while (true) {
        State before = state.get();
        Known known = before.known;
        RepositoryUsage reserved = before.reserved.plus(more);
        if (known == null || !known.quota.holds(known.used.plus(reserved))) {
          return false;
        }
        if (state.compareAndSet(before, new State(known, reserved))) {
          return true;
        }
      }
    }

    private void settle(RepositoryUsage added) {
      state.updateAndGet(before -> {
        Known known = before.known;
        return new State(
            known == null ? null : new Known(known.quota, known.used.plus(added)),
            minus(before.reserved, added));
      });
    }

    private void giveBack(RepositoryUsage unused) {
      state.updateAndGet(before -> new State(before.known, minus(before.reserved, unused)));
    }

    private void forget() {
      state.updateAndGet(before -> new State(null, before.reserved));
    }

    private static RepositoryUsage minus(RepositoryUsage from, RepositoryUsage part) {
      return new RepositoryUsage(from.bytes() - part.bytes(), from.artifacts() - part.artifacts());
    }
  }
}
