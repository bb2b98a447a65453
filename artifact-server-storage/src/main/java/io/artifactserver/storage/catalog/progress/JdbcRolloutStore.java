package io.artifactserver.storage.catalog.progress;

import io.artifactserver.core.progress.DeliveredBytes;
import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.core.progress.RolloutStore;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.sql.PreparedStatement;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.springframework.jdbc.core.JdbcTemplate;

/** Aggregates of the progress of devices, made by PostgreSQL. Immutable, thread-safe. */
public record JdbcRolloutStore(CatalogTransactions transactions, JdbcTemplate jdbc)
    implements RolloutStore {
  /** Rows that are in memory at a time: one has some kilobytes at most. */
  private static final int FETCHED = 1000;

  private static final String SUBJECT =
      "p.repository_id = (select id from repository where name = ?) and p.sha256 = ?";

  private static final String ACTIVE =
      """
      select count(*) from (select distinct device from progress where updated_at > ?) active
      """;

  /** From an index alone, in its order: three times as fast as a hash of all names. */
  private static final String SEEN =
      """
      select count(*) from (
        select distinct on (device) device from progress
        where repository_id = (select id from repository where name = ?)
        order by device) seen
      """;

  private static final String UNFINISHED =
      "select p.device, %s from progress p where %s and p.bytes < ? and "
          .formatted(JdbcProgressStore.COLUMNS, SUBJECT);

  private static final String SLOWEST =
      UNFINISHED
          + """
          p.updated_at > ?
          order by
            coalesce(
              p.stretch_bytes / nullif(date_part('epoch', p.updated_at - p.stretch_began_at), 0),
              0),
            p.device
          limit ?
          """;

  private static final String STUCK =
      UNFINISHED + "p.updated_at <= ? order by p.updated_at, p.device limit ?";

  /** Reads an index alone. */
  private static final String COUNTS =
      """
      select count(*) filter (where p.bytes > 0 and p.bytes < ?), count(*) filter (where p.bytes >= ?)
      from progress p
      where %s
      """
          .formatted(SUBJECT);

  /** One pass over the devices of the subject, for the figures and the map alike. */
  private static final String GROUPS =
      """
      select
        p.delivered,
        count(*),
        count(*) filter (where p.updated_at > ?),
        coalesce(%s, 0)
      from progress p
      where %s
      group by p.delivered
      """
          .formatted(JdbcProgressStore.RATE, SUBJECT);

  @Override
  public long active(Instant since) {
    return count(ACTIVE, Timestamp.from(since));
  }

  @Override
  public long seen(String repository) {
    return count(SEEN, repository);
  }

  private long count(String statement, Object... parameters) {
    return transactions.read(() ->
        Optional.ofNullable(jdbc.queryForObject(statement, Long.class, parameters)).orElse(0L));
  }

  @Override
  public List<DeviceProgress> slowest(ProgressSubject subject, Instant since, int limit) {
    return devices(SLOWEST, subject, since, limit);
  }

  @Override
  public List<DeviceProgress> stuck(ProgressSubject subject, Instant since, int limit) {
    return devices(STUCK, subject, since, limit);
  }

  private List<DeviceProgress> devices(
      String statement, ProgressSubject subject, Instant since, int limit) {
    return transactions.read(() ->
        jdbc.query(
            statement,
            (row, _) -> JdbcProgressStore.progress(row),
            subject.repository(),
            subject.sha256().bytes(),
            subject.length(),
            Timestamp.from(since),
            limit));
  }

  @Override
  public Counts counts(ProgressSubject subject) {
    return transactions.read(() ->
        jdbc.query(
                COUNTS,
                (row, _) -> new Counts(row.getLong(1), row.getLong(2)),
                subject.length(),
                subject.length(),
                subject.repository(),
                subject.sha256().bytes())
            .getFirst());
  }

  @Override
  public void groups(ProgressSubject subject, Instant since, Consumer<Group> consumer) {
    Timestamp after = Timestamp.from(since);
    transactions.read(() -> {
      jdbc.query(
          connection -> {
            PreparedStatement statement = connection.prepareStatement(GROUPS);
            statement.setFetchSize(FETCHED);
            statement.setTimestamp(1, after);
            statement.setTimestamp(2, after);
            statement.setString(3, subject.repository());
            statement.setBytes(4, subject.sha256().bytes());
            return statement;
          },
          row -> {
            consumer.accept(
                new Group(
                    DeliveredBytes.decode(row.getBytes(1)),
                    row.getLong(2),
                    row.getLong(3),
                    row.getDouble(4)));
          });
      return true;
    });
  }
}
