package io.artifactserver.storage.catalog.release;

import io.artifactserver.core.release.Channel;
import io.artifactserver.core.release.ChannelState;
import io.artifactserver.core.release.ChannelStore;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The channels in PostgreSQL. Immutable, thread-safe. */
public record JdbcChannelStore(CatalogTransactions transactions, JdbcClient jdbc)
    implements ChannelStore {
  private static final String COLUMNS =
      "r.name, c.channel, c.version, c.release, c.restored, c.comment, c.changed_at";

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
  public boolean add(ChannelState state) {
    return transactions.write(_ ->
        jdbc.sql(
                """
                insert into channel_change
                  (repository_id, channel, version, release, restored, comment, changed_at)
                select id, :channel, :version, :release, :restored, :comment, :changedAt
                from repository where name = :repository
                """)
            .param("channel", state.channel().name())
            .param("version", state.version())
            .param("release", state.release(), Types.VARCHAR)
            .param("restored", state.restored())
            .param("comment", state.comment())
            .param("changedAt", Timestamp.from(state.changedAt()))
            .param("repository", state.channel().repository())
            .update())
        == 1;
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
        row.getLong(5),
        row.getString(6),
        row.getTimestamp(7).toInstant());
  }
}
