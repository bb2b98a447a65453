package io.artifactserver.storage.catalog.release;

import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.limit.Network;
import io.artifactserver.core.release.Channel;
import io.artifactserver.core.release.ChannelState;
import io.artifactserver.core.release.ChannelStore;
import io.artifactserver.core.release.Rollout;
import io.artifactserver.core.release.StopRule;
import io.artifactserver.core.release.TimeWindow;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The channels in PostgreSQL. Immutable, thread-safe. */
public record JdbcChannelStore(CatalogTransactions transactions, JdbcClient jdbc)
    implements ChannelStore {
  private static final String COLUMNS =
      """
      r.name, c.channel, c.version, c.release, c.restored, c.comment, c.changed_at, c.percentage,
        c.base, c.paused, c.callers, c.addresses, c.stop_percentage, c.stop_within_millis,
        c.stop_at_least, c.stop_stall_millis, c.windows, c.labels
      """;

  private static final String HISTORY =
      "select "
          + COLUMNS
          + """
           from channel_change c join repository r on r.id = c.repository_id
          where r.name = :repository and c.channel = :channel and c.version < :before
          """;

  @Override
  public List<ChannelState> current() {
    return transactions.read(() ->
        jdbc.sql(
                "select "
                    + COLUMNS
                    + """
                     from (
                      select distinct on (repository_id, channel) * from channel_change
                      order by repository_id, channel, version desc) c
                    join repository r on r.id = c.repository_id
                    where c.release is not null
                    """)
            .query((row, _) -> state(row))
            .list());
  }

  @Override
  public boolean add(ChannelState state, Runnable also) {
    Rollout rollout = state.rollout();
    @Nullable StopRule stop = rollout.stop();
    return transactions.write(_ -> {
      boolean isAdded =
          jdbc.sql(
                      """
                      insert into channel_change
                        (repository_id, channel, version, release, restored, comment, changed_at,
                          percentage, base, paused, callers, addresses, stop_percentage,
                          stop_within_millis, stop_at_least, stop_stall_millis, windows, labels)
                      select id, :channel, :version, :release, :restored, :comment, :changedAt,
                        :percentage, :base, :paused, :callers, :addresses, :stopPercentage,
                        :stopWithin, :stopAtLeast, :stopStall, :windows, :labels
                      from repository where name = :repository
                      """)
                  .param("channel", state.channel().name())
                  .param("version", state.version())
                  .param("release", state.release(), Types.VARCHAR)
                  .param("restored", state.restored())
                  .param("comment", state.comment())
                  .param("changedAt", Timestamp.from(state.changedAt()))
                  .param("percentage", rollout.percentage())
                  .param("base", rollout.base(), Types.VARCHAR)
                  .param("paused", rollout.isPaused())
                  .param("callers", rollout.callers().toArray(String[]::new))
                  .param(
                      "addresses",
                      rollout.addresses().stream().map(Network::toString).toArray(String[]::new))
                  .param(
                      "windows",
                      rollout.windows().stream().map(TimeWindow::toString).toArray(String[]::new))
                  .param("labels", rollout.labels().texts().toArray(String[]::new))
                  .param("stopPercentage", stop == null ? null : stop.percentage(), Types.INTEGER)
                  .param("stopWithin", stop == null ? null : stop.within().toMillis(), Types.BIGINT)
                  .param("stopAtLeast", stop == null ? null : stop.atLeast(), Types.INTEGER)
                  .param("stopStall", stop == null ? null : stop.stall().toMillis(), Types.BIGINT)
                  .param("repository", state.channel().repository())
                  .update()
              == 1;
      if (isAdded) {
        also.run();
      }
      return isAdded;
    });
  }

  @Override
  public List<ChannelState> history(Channel channel, long before, int limit) {
    return transactions.read(() ->
        jdbc.sql(HISTORY + "order by c.version desc limit :limit")
            .param("repository", channel.repository())
            .param("channel", channel.name())
            .param("before", before)
            .param("limit", limit)
            .query((row, _) -> state(row))
            .list());
  }

  @Override
  public List<ChannelState> pointing(String repository, Set<String> releases, int limit) {
    if (releases.isEmpty()) {
      return List.of();
    }
    return transactions.read(() ->
        jdbc.sql(
                "select "
                    + COLUMNS
                    + """
                     from channel_change c join repository r on r.id = c.repository_id
                    where r.name = :repository and c.release in (:releases)
                    order by c.changed_at desc, c.channel, c.version desc
                    limit :limit
                    """)
            .param("repository", repository)
            .param("releases", releases)
            .param("limit", limit)
            .query((row, _) -> state(row))
            .list());
  }

  @Override
  public Set<String> releases(String repository) {
    return transactions.read(() ->
        jdbc.sql(
                """
                select distinct c.release
                from channel_change c join repository r on r.id = c.repository_id
                where r.name = :repository and c.release is not null
                """)
            .param("repository", repository)
            .query(String.class)
            .set());
  }

  @Override
  public Optional<ChannelState> lastOther(Channel channel, long before, String release) {
    return transactions.read(() ->
        jdbc.sql(HISTORY + "and c.release <> :release order by c.version desc limit 1")
            .param("repository", channel.repository())
            .param("channel", channel.name())
            .param("before", before)
            .param("release", release)
            .query((row, _) -> state(row))
            .optional());
  }

  private static ChannelState state(ResultSet row) throws SQLException {
    return new ChannelState(
        new Channel(row.getString(1), row.getString(2)),
        row.getLong(3),
        row.getString(4),
        rollout(row),
        row.getLong(5),
        row.getString(6),
        row.getTimestamp(7).toInstant());
  }

  private static Rollout rollout(ResultSet row) throws SQLException {
    int percentage = row.getInt(13);
    @Nullable StopRule stop =
        row.wasNull()
            ? null
            : new StopRule(
                percentage,
                Duration.ofMillis(row.getLong(14)),
                row.getInt(15),
                Duration.ofMillis(row.getLong(16)));
    return new Rollout(
        row.getInt(8),
        row.getString(9),
        row.getBoolean(10),
        texts(row, 11),
        Labels.parse(texts(row, 18)),
        texts(row, 12).stream().map(Network::parse).toList(),
        texts(row, 17).stream().map(TimeWindow::parse).toList(),
        stop);
  }

  private static List<String> texts(ResultSet row, int column) throws SQLException {
    return List.of((String[]) row.getArray(column).getArray());
  }
}
