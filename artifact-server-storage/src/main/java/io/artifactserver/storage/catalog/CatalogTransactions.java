package io.artifactserver.storage.catalog;

import io.artifactserver.core.catalog.CatalogDatabase;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.storage.postgres.InstallationLock;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs short transactions, and is where a database's failures become {@link
 * CatalogUnavailableException}. Immutable, thread-safe.
 */
public final class CatalogTransactions {
  private final TransactionTemplate reading;
  private final TransactionTemplate writing;

  private final CatalogDatabase database;
  private final InstallationLock lock;

  /**
   * @param database that must run, or nobody need wait for a connection
   * @param lock without which nothing is written
   */
  CatalogTransactions(
      PlatformTransactionManager transactionManager,
      CatalogDatabase database,
      InstallationLock lock) {
    this.database = database;
    this.lock = lock;
    reading = new TransactionTemplate(transactionManager);
    reading.setReadOnly(true);
    writing = new TransactionTemplate(transactionManager);
    // The locks taken in share, remove and forget count on later statements seeing what others
    // committed while they waited; PostgreSQL's other levels would fail instead.
    writing.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
  }

  public <T> T read(Supplier<T> work) {
    return run(reading, _ -> work.get());
  }

  public <T> T write(Function<TransactionStatus, T> work) {
    if (!lock.isHeld()) {
      throw new CatalogUnavailableException(
          "The connection to the catalog's database was lost, and another server may have taken the"
              + " installation over: nothing is written until that is known");
    }
    return run(writing, work);
  }

  private <T> T run(TransactionTemplate template, Function<TransactionStatus, T> work) {
    if (!database.isRunning()) {
      throw new CatalogUnavailableException("The embedded PostgreSQL is being started again");
    }
    try {
      return template.execute(work::apply);
    } catch (TransactionException e) {
      throw unavailable(e);
    } catch (DataAccessException e) {
      if (isUnavailability(e)) {
        throw unavailable(e);
      }
      throw e;
    }
  }

  /**
   * SQL state class 08: no connection; 40: rolled back, as after a deadlock; 53: no resources; 57:
   * an operator ended it; 58: the system failed. Anything else is a fault of ours.
   */
  private static boolean isUnavailability(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLTransientException || cause instanceof SQLRecoverableException) {
        return true;
      }
      if (cause instanceof SQLException sqlException) {
        // The database names a state with every refusal; the pool's "Connection is closed" has
        // none.
        String state = Objects.requireNonNullElse(sqlException.getSQLState(), "08000");
        return switch (state.substring(0, 2)) {
          case "08", "40", "53", "57", "58" -> true;
          default -> false;
        };
      }
    }
    return false;
  }

  private static CatalogUnavailableException unavailable(Exception cause) {
    return new CatalogUnavailableException(
        "The catalog's database could not be asked: " + cause.getMessage(), cause);
  }
}
