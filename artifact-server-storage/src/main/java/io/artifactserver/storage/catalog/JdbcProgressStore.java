package io.artifactserver.storage.catalog;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.progress.DeliveredBytes;
import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.core.range.ByteRange;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The progress of devices in PostgreSQL. Immutable, thread-safe. An installation has one server, so
 * a row that was read is written back as nobody else has changed it.
 */
final class JdbcProgressStore implements ProgressStore {
  private static final String STORED =
      """
      select wanted.number, p.device, p.delivered, p.updated_at
      from unnest(?::text[], ?::text[], ?::text[])
        with ordinality as wanted (repository, sha256, device, number)
      join repository r on r.name = wanted.repository
      join progress p on p.repository_id = r.id
        and p.sha256 = decode(wanted.sha256, 'hex') and p.device = wanted.device
      """;

  private static final String UPSERT =
      """
      insert into progress (repository_id, sha256, device, delivered, updated_at)
      select id, ?, ?, ?, ? from repository where name = ?
      on conflict (repository_id, sha256, device)
      do update set delivered = excluded.delivered, updated_at = excluded.updated_at
      """;

  private static final String PAGE =
      """
      select p.device, p.delivered, p.updated_at
      from progress p join repository r on r.id = p.repository_id
      where r.name = ? and p.sha256 = ? and p.device > ?
      order by p.device
      limit ?
      """;

  private static final String MISSING =
      """
      select seen.device, p.delivered, p.updated_at
      from (
        select distinct device from progress
        where repository_id = (select id from repository where name = ?) and device > ?
      ) seen
      left join progress p
        on p.repository_id = (select id from repository where name = ?)
        and p.sha256 = ? and p.device = seen.device
      where p.delivered is distinct from ?
      order by seen.device
      limit ?
      """;

  private static final String OF_DEVICE =
      """
      select r.name, a.path, b.length, p.device, p.delivered, p.updated_at
      from repository r
      join progress p on p.repository_id = r.id and p.device = ?
      join blob b on b.sha256 = p.sha256
      join artifact a on a.blob_id = b.id and a.repository_id = r.id
      order by p.updated_at desc, r.name, a.path
      limit ?
      """;

  private static final String DELETE =
      """
      delete from progress where ctid = any (array(
        select ctid from progress where updated_at < ? order by updated_at limit ?))
      """;

  private final CatalogTransactions transactions;
  private final JdbcTemplate jdbc;

  JdbcProgressStore(CatalogTransactions transactions, JdbcTemplate jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public void add(List<Addition> additions) {
    var _ =
        transactions.write(_ -> {
          Map<Integer, DeviceProgress> stored = stored(additions);
          List<Addition> rows = new ArrayList<>(additions.size());
          for (int i = 0; i < additions.size(); i++) {
            Addition addition = additions.get(i);
            DeviceProgress merged =
                Optional.ofNullable(stored.get(i))
                    .map(before -> DeviceProgress.merged(before, addition.progress()))
                    .orElse(addition.progress());
            rows.add(new Addition(addition.subject(), merged));
          }
          return jdbc.batchUpdate(UPSERT, rows, rows.size(), JdbcProgressStore::setRow);
        });
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
    byte[] whole = DeliveredBytes.of(ByteRange.whole(subject.length())).encoded();
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
            whole,
            limit));
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
  public int deleteUnchangedSince(Instant instant, int limit) {
    return transactions.write(_ -> jdbc.update(DELETE, Timestamp.from(instant), limit));
  }

  /** What is there already, by the addition's index. */
  private Map<Integer, DeviceProgress> stored(List<Addition> additions) {
    Map<Integer, DeviceProgress> stored = new HashMap<>();
    jdbc.query(
        STORED,
        statement -> {
          String[] repositories = new String[additions.size()];
          String[] digests = new String[additions.size()];
          String[] devices = new String[additions.size()];
          for (int i = 0; i < additions.size(); i++) {
            repositories[i] = additions.get(i).subject().repository();
            digests[i] = additions.get(i).subject().sha256().hex();
            devices[i] = additions.get(i).progress().device();
          }
          statement.setArray(1, statement.getConnection().createArrayOf("text", repositories));
          statement.setArray(2, statement.getConnection().createArrayOf("text", digests));
          statement.setArray(3, statement.getConnection().createArrayOf("text", devices));
        },
        row -> {
          stored.put(row.getInt("number") - 1, progress(row));
        });
    return stored;
  }

  private static void setRow(PreparedStatement statement, Addition row) throws SQLException {
    statement.setBytes(1, row.subject().sha256().bytes());
    statement.setString(2, row.progress().device());
    statement.setBytes(3, row.progress().delivered().encoded());
    statement.setTimestamp(4, Timestamp.from(row.progress().updatedAt()));
    statement.setString(5, row.subject().repository());
  }

  private static DeviceProgress progress(ResultSet row) throws SQLException {
    return new DeviceProgress(
        row.getString("device"),
        DeliveredBytes.decode(row.getBytes("delivered")),
        row.getTimestamp("updated_at").toInstant());
  }
}
