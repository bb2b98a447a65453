package io.artifactserver.storage.catalog.progress;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.progress.DeliveredBytes;
import io.artifactserver.core.progress.DeliveryError;
import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.core.progress.Sending;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The progress of devices in PostgreSQL. Immutable, thread-safe. An installation has one server, so
 * a row that was read is written back as nobody else has changed it.
 */
public record JdbcProgressStore(CatalogTransactions transactions, JdbcTemplate jdbc)
    implements ProgressStore {
  /** The columns that {@link #progress(ResultSet)} reads, beside the device. */
  static final String COLUMNS =
      """
      p.delivered, p.updated_at, p.stretch_began_at, p.stretch_bytes, p.earlier_bytes,
        p.earlier_micros, p.error, p.error_at
      """;

  /**
   * The bytes a second of the devices that were sent something after an instant, together; in
   * binary numbers, which are added up twice as fast as decimal ones.
   */
  static final String RATE =
      """
      sum(p.stretch_bytes / date_part('epoch', p.updated_at - p.stretch_began_at))
          filter (where p.updated_at > ? and p.updated_at > p.stretch_began_at)
      """
          .strip();

  private static final String STORED =
      "select wanted.number, p.device, "
          + COLUMNS
          + """
          from unnest(?::text[], ?::text[], ?::text[])
            with ordinality as wanted (repository, sha256, device, number)
          join repository r on r.name = wanted.repository
          join progress p on p.repository_id = r.id
            and p.sha256 = decode(wanted.sha256, 'hex') and p.device = wanted.device
          """;

  private static final String UPSERT =
      """
      insert into progress (
        repository_id, sha256, device, delivered, updated_at, stretch_began_at, stretch_bytes,
        earlier_bytes, earlier_micros, error, error_at, bytes)
      select id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? from repository where name = ?
      on conflict (repository_id, sha256, device) do update set
        delivered = excluded.delivered,
        updated_at = excluded.updated_at,
        stretch_began_at = excluded.stretch_began_at,
        stretch_bytes = excluded.stretch_bytes,
        earlier_bytes = excluded.earlier_bytes,
        earlier_micros = excluded.earlier_micros,
        error = excluded.error,
        error_at = excluded.error_at,
        bytes = excluded.bytes
      """;

  private static final String PAGE =
      "select p.device, "
          + COLUMNS
          + """
          from progress p
          where p.repository_id = (select id from repository where name = ?)
            and p.sha256 = ? and p.device > ?
          order by p.device
          limit ?
          """;

  /** First the names, from indexes alone; then what there is of these few. */
  private static final String MISSING =
      "select missing.device, "
          + COLUMNS
          + """
          from (
            select seen.device
            from (
              select distinct device from progress
              where repository_id = (select id from repository where name = ?) and device > ?
            ) seen
            where not exists (
              select from progress whole
              where whole.repository_id = (select id from repository where name = ?)
                and whole.sha256 = ? and whole.device = seen.device and whole.bytes = ?)
            order by seen.device
            limit ?
          ) missing
          left join progress p
            on p.repository_id = (select id from repository where name = ?)
            and p.sha256 = ? and p.device = missing.device
          order by missing.device
          """;

  private static final String OF_DEVICE =
      "select r.name, a.path, b.length, p.device, "
          + COLUMNS
          + """
          from repository r
          join progress p on p.repository_id = r.id and p.device = ?
          join blob b on b.sha256 = p.sha256
          join artifact a on a.blob_id = b.id and a.repository_id = r.id
          order by p.updated_at desc, r.name, a.path
          limit ?
          """;

  private static final String SUMMARY =
      """
      select
        count(*) filter (where p.bytes > 0) as devices,
        count(*) filter (where p.bytes = ?) as complete,
        count(*) filter (where p.updated_at > ?) as active,
        coalesce(sum(p.bytes), 0)::bigint as bytes,
        coalesce(%s, 0)::bigint as rate
      from progress p
      where p.repository_id = (select id from repository where name = ?) and p.sha256 = ?
      """
          .formatted(RATE);

  private static final String DELETE =
      """
      delete from progress where ctid = any (array(
        select ctid from progress where updated_at < ? order by updated_at limit ?))
      """;

  /**
   * The subjects are read from the primary key, one step for each. A row that changes meanwhile
   * stays: the artifact may be there again.
   */
  private static final String DELETE_ORPHANS =
      """
      with recursive subject as (
        (select repository_id, sha256 from progress order by repository_id, sha256 limit 1)
        union all
        select later.repository_id, later.sha256
        from subject s, lateral (
          select p.repository_id, p.sha256 from progress p
          where (p.repository_id, p.sha256) > (s.repository_id, s.sha256)
          order by p.repository_id, p.sha256
          limit 1
        ) later
      )
      delete from progress where ctid = any (array(
        select p.ctid from subject s
        join progress p on p.repository_id = s.repository_id and p.sha256 = s.sha256
        where not exists (
          select from blob b join artifact a on a.blob_id = b.id
          where b.sha256 = s.sha256 and a.repository_id = s.repository_id)
        limit ?))
      """;

  @Override
  public Added add(List<Addition> additions, Predicate<Addition> mayBegin) {
    return transactions.write(_ -> {
      Map<Integer, DeviceProgress> stored = stored(additions);
      List<Addition> rows = new ArrayList<>(additions.size());
      List<Addition> begun = new ArrayList<>();
      List<Addition> completed = new ArrayList<>();
      for (int i = 0; i < additions.size(); i++) {
        Addition addition = additions.get(i);
        DeviceProgress before = stored.get(i);
        if (before != null) {
          Addition row =
              new Addition(
                  addition.subject(), before.then(addition.progress()), addition.namedBy());
          rows.add(row);
          if (isComplete(row) && before.delivered().count() < addition.subject().length()) {
            completed.add(row);
          }
        } else if (mayBegin.test(addition)) {
          rows.add(addition);
          begun.add(addition);
          if (isComplete(addition)) {
            completed.add(addition);
          }
        }
      }
      var _ = jdbc.batchUpdate(UPSERT, rows, 1 + rows.size(), JdbcProgressStore::setRow);
      CompletedDownloads.tell(jdbc, completed);
      return new Added(rows, begun);
    });
  }

  @Override
  public long count() {
    return transactions.read(() ->
        Optional.ofNullable(jdbc.queryForObject("select count(*) from progress", Long.class))
            .orElse(0L));
  }

  @Override
  public List<DeviceProgress> list(ProgressSubject subject, String after, int limit) {
    return transactions.read(() ->
        jdbc.query(
            PAGE,
            (row, _) -> progress(row),
            subject.repository(),
            subject.sha256().bytes(),
            after,
            limit));
  }

  @Override
  public List<DeviceProgress> missing(ProgressSubject subject, String after, int limit) {
    return transactions.read(() ->
        jdbc.query(
            MISSING,
            (row, _) ->
                row.getBytes("delivered") == null
                    ? DeviceProgress.nothing(row.getString("device"))
                    : progress(row),
            subject.repository(),
            after,
            subject.repository(),
            subject.sha256().bytes(),
            subject.length(),
            limit,
            subject.repository(),
            subject.sha256().bytes()));
  }

  @Override
  public List<ArtifactProgress> ofDevice(String device, int limit) {
    return transactions.read(() ->
        jdbc.query(
            OF_DEVICE,
            (row, _) ->
                new ArtifactProgress(
                    new ArtifactId(row.getString("name"), row.getString("path")),
                    row.getLong("length"),
                    progress(row)),
            device,
            limit));
  }

  @Override
  public Summary summary(ProgressSubject subject, Instant since) {
    return transactions.read(() ->
        jdbc.queryForObject(
            SUMMARY,
            (row, _) ->
                new Summary(
                    row.getLong("devices"),
                    row.getLong("complete"),
                    row.getLong("active"),
                    row.getLong("bytes"),
                    row.getLong("rate")),
            subject.length(),
            Timestamp.from(since),
            Timestamp.from(since),
            subject.repository(),
            subject.sha256().bytes()));
  }

  @Override
  public int deleteUnchangedSince(Instant instant, int limit) {
    return transactions.write(_ -> jdbc.update(DELETE, Timestamp.from(instant), limit));
  }

  @Override
  public int deleteOrphans(int limit) {
    return transactions.write(_ -> jdbc.update(DELETE_ORPHANS, limit));
  }

  private static boolean isComplete(Addition row) {
    return row.progress().delivered().count() == row.subject().length();
  }

  /** Rows that are there already, by the addition's index. */
  private Map<Integer, DeviceProgress> stored(List<Addition> additions) {
    Map<Integer, DeviceProgress> stored = new HashMap<>();
    jdbc.query(
        STORED,
        statement -> {
          CompletedDownloads.setTexts(statement, 1, additions, row -> row.subject().repository());
          CompletedDownloads.setTexts(statement, 2, additions, row -> row.subject().sha256().hex());
          CompletedDownloads.setTexts(statement, 3, additions, row -> row.progress().device());
        },
        row -> {
          stored.put(row.getInt("number") - 1, progress(row));
        });
    return stored;
  }

  private static void setRow(PreparedStatement statement, Addition row) throws SQLException {
    DeviceProgress progress = row.progress();
    Sending sending = progress.sending();
    DeliveryError error = progress.lastError();
    int i = 0;
    statement.setBytes(++i, row.subject().sha256().bytes());
    statement.setString(++i, progress.device());
    statement.setBytes(++i, progress.delivered().encoded());
    statement.setTimestamp(++i, Timestamp.from(sending.endedAt()));
    statement.setTimestamp(++i, Timestamp.from(sending.beganAt()));
    statement.setLong(++i, sending.bytes());
    statement.setLong(++i, sending.earlierBytes());
    statement.setLong(++i, TimeUnit.NANOSECONDS.toMicros(sending.earlierTime().toNanos()));
    statement.setString(++i, error == null ? null : error.reason().name());
    statement.setTimestamp(++i, error == null ? null : Timestamp.from(error.at()));
    statement.setLong(++i, progress.delivered().count());
    statement.setString(++i, row.subject().repository());
  }

  static DeviceProgress progress(ResultSet row) throws SQLException {
    String error = row.getString("error");
    return new DeviceProgress(
        row.getString("device"),
        DeliveredBytes.decode(row.getBytes("delivered")),
        new Sending(
            row.getTimestamp("stretch_began_at").toInstant(),
            row.getTimestamp("updated_at").toInstant(),
            row.getLong("stretch_bytes"),
            row.getLong("earlier_bytes"),
            Duration.of(row.getLong("earlier_micros"), ChronoUnit.MICROS)),
        error == null
            ? null
            : new DeliveryError(
                DeliveryError.Reason.valueOf(error), row.getTimestamp("error_at").toInstant()));
  }
}
