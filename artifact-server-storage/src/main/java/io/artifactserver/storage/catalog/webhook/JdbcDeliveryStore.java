package io.artifactserver.storage.catalog.webhook;

import io.artifactserver.core.webhook.Delivery;
import io.artifactserver.core.webhook.Delivery.Answer;
import io.artifactserver.core.webhook.Delivery.Attempt;
import io.artifactserver.core.webhook.DeliveryStore;
import io.artifactserver.core.webhook.EventKind;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Keeps the deliveries of webhooks in PostgreSQL. Immutable, thread-safe. */
public record JdbcDeliveryStore(CatalogTransactions transactions, JdbcClient jdbc)
    implements DeliveryStore {
  private static final String COLUMNS =
      """
       d.id, d.webhook_id, d.message, d.number, d.kind, d.data, d.created_at, d.attempts,
        d.next_attempt_at, d.attempted_at, d.took_millis, d.status, d.detail
      """;

  @Override
  public void tell(String repository, EventKind kind, String data) {
    var _ =
        transactions.write(_ ->
            jdbc.sql(
                    """
                    select tell_webhooks(id, :kind, :data::json) from repository
                    where name = :repository
                    """)
                .param("kind", kind.toString())
                .param("data", data)
                .param("repository", repository)
                .query((_, _) -> true)
                .list());
  }

  @Override
  public Optional<Delivery> tell(long webhook, EventKind kind, String data) {
    return transactions.write(_ ->
        jdbc.sql(
                """
                insert into webhook_delivery as d (webhook_id, message, number, kind, data)
                select id, gen_random_uuid(), nextval('webhook_event_number'), :kind, :data::json
                from webhook where id = :id
                returning
                """
                    + COLUMNS)
            .param("kind", kind.toString())
            .param("data", data)
            .param("id", webhook)
            .query((row, _) -> delivery(row))
            .optional());
  }

  @Override
  public List<Delivery> due(Map<Long, Integer> mostOfEach, Collection<Long> running, int limit) {
    return transactions.read(() ->
        jdbc.sql(
                "select "
                    + COLUMNS
                    + """
                    from unnest(:webhooks::bigint[], :most::int[]) as w (id, most), lateral (
                      select * from webhook_delivery
                      where webhook_id = w.id and next_attempt_at <= now()
                        and id <> all (:running::bigint[])
                      order by next_attempt_at, id
                      limit w.most) d
                    order by d.next_attempt_at, d.id
                    limit :limit
                    """)
            .param("webhooks", mostOfEach.keySet().toArray(Long[]::new))
            .param("most", mostOfEach.values().toArray(Integer[]::new))
            .param("running", running.toArray(Long[]::new))
            .param("limit", limit)
            .query((row, _) -> delivery(row))
            .list());
  }

  @Override
  public void attempted(long id, Attempt attempt, @Nullable Duration again) {
    int _ =
        transactions.write(_ ->
            jdbc.sql(
                    """
                    update webhook_delivery set attempts = attempts + 1, attempted_at = :at,
                      took_millis = :took, status = :status, detail = :detail,
                      next_attempt_at = now() + :again * interval '1 millisecond'
                    where id = :id
                    """)
                .param("at", Timestamp.from(attempt.at()))
                .param("took", attempt.took().toMillis())
                .param("status", attempt.answer().status())
                .param("detail", attempt.answer().detail())
                .param("again", again == null ? null : again.toMillis(), Types.BIGINT)
                .param("id", id)
                .update());
  }

  @Override
  public List<Delivery> list(long webhook, long before, int limit) {
    return transactions.read(() ->
        jdbc.sql(
                "select "
                    + COLUMNS
                    + """
                    from webhook_delivery d where d.webhook_id = :webhook and d.id < :before
                    order by d.id desc limit :limit
                    """)
            .param("webhook", webhook)
            .param("before", before)
            .param("limit", limit)
            .query((row, _) -> delivery(row))
            .list());
  }

  @Override
  public Optional<Delivery> repeat(long webhook, long id) {
    return transactions.write(_ ->
        jdbc.sql(
                """
                update webhook_delivery d set attempts = 0, next_attempt_at = now()
                where d.webhook_id = :webhook and d.id = :id
                returning
                """
                    + COLUMNS)
            .param("webhook", webhook)
            .param("id", id)
            .query((row, _) -> delivery(row))
            .optional());
  }

  @Override
  public int trim(Duration age, int most) {
    return transactions.write(_ ->
        jdbc.sql(
                """
                with gone as (
                  delete from webhook_delivery
                  where created_at < now() - :age * interval '1 millisecond'
                    or id in (
                      select id from (
                        select id, row_number() over (
                          partition by webhook_id
                          order by (next_attempt_at is null), id desc) as place
                        from webhook_delivery
                        where webhook_id in (
                          select webhook_id from webhook_delivery
                          group by webhook_id having count(*) > :most)) ranked
                      where place > :most)
                  returning next_attempt_at)
                select count(next_attempt_at) from gone
                """)
            .param("age", age.toMillis())
            .param("most", most)
            .query(Integer.class)
            .single());
  }

  private static Delivery delivery(ResultSet row) throws SQLException {
    Timestamp next = row.getTimestamp(9);
    Timestamp attempted = row.getTimestamp(10);
    return new Delivery(
        row.getLong(1),
        row.getLong(2),
        row.getObject(3, UUID.class),
        row.getLong(4),
        EventKind.parse(row.getString(5)).orElseThrow(),
        row.getString(6),
        row.getTimestamp(7).toInstant(),
        row.getInt(8),
        next == null ? null : next.toInstant(),
        attempted == null
            ? null
            : new Attempt(
                attempted.toInstant(),
                Duration.ofMillis(row.getLong(11)),
                new Answer(row.getInt(12), row.getString(13))));
  }
}
