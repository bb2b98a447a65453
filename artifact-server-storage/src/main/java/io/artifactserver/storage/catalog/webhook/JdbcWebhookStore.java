package io.artifactserver.storage.catalog.webhook;

import io.artifactserver.core.webhook.EventKind;
import io.artifactserver.core.webhook.Webhook;
import io.artifactserver.core.webhook.WebhookStore;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.net.URI;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The webhooks in PostgreSQL. Immutable, thread-safe. */
public record JdbcWebhookStore(CatalogTransactions transactions, JdbcClient jdbc)
    implements WebhookStore {
  private static final String SELECT =
      """
      select w.id, r.name, w.url, w.events, w.enabled, w.created_at
      from webhook w join repository r on r.id = w.repository_id
      """;

  @Override
  public List<Webhook> all() {
    return transactions.read(
        () -> jdbc.sql(SELECT + "order by w.id").query((row, _) -> webhook(row)).list());
  }

  @Override
  public Optional<Webhook> add(
      String repository, URI url, Set<EventKind> events, String secret, int most) {
    return transactions.write(_ -> {
      // Locked, so that two at a time are not one too many.
      Optional<Long> owner =
          jdbc.sql("select id from repository where name = :name for no key update")
              .param("name", repository)
              .query((row, _) -> row.getLong(1))
              .optional();
      return owner
          .flatMap(id ->
              jdbc.sql(
                      """
                      insert into webhook (repository_id, url, events, secret_key)
                      select :id, :url, :events, :secret
                      where (select count(*) from webhook where repository_id = :id) < :most
                      returning id
                      """)
                  .param("id", id)
                  .param("url", url.toString())
                  .param("events", names(events))
                  .param("secret", secret)
                  .param("most", most)
                  .query((row, _) -> row.getLong(1))
                  .optional())
          .flatMap(id ->
              jdbc.sql(SELECT + "where w.id = :id")
                  .param("id", id)
                  .query((row, _) -> webhook(row))
                  .optional());
    });
  }

  @Override
  public boolean change(Webhook after) {
    return transactions.write(_ ->
        jdbc.sql(
                """
                update webhook set url = :url, events = :events, enabled = :enabled
                where id = :id
                """)
            .param("url", after.url().toString())
            .param("events", names(after.events()))
            .param("enabled", after.isEnabled())
            .param("id", after.id())
            .update())
        == 1;
  }

  @Override
  public boolean rotate(long id, String secret, Duration overlap) {
    return transactions.write(_ ->
        jdbc.sql(
                """
                update webhook set secret_key = :secret, former_key = secret_key,
                  former_until = now() + :millis * interval '1 millisecond'
                where id = :id
                """)
            .param("secret", secret)
            .param("millis", overlap.toMillis())
            .param("id", id)
            .update())
        == 1;
  }

  @Override
  public List<String> secrets(long id) {
    return transactions.read(() ->
        jdbc.sql(
                """
                select secret_key, case when former_until > now() then former_key end
                from webhook where id = :id
                """)
            .param("id", id)
            .query((row, _) ->
                Stream.of(row.getString(1), row.getString(2)).filter(Objects::nonNull).toList())
            .optional()
            .orElse(List.of()));
  }

  @Override
  public boolean delete(long id) {
    return transactions.write(_ -> {
      jdbc.sql(
              """
              delete from data_key k using webhook w
              where w.id = :id and k.blob_key in (w.secret_key, w.former_key)
              """)
          .param("id", id)
          .update();
      return jdbc.sql("delete from webhook where id = :id").param("id", id).update() == 1;
    });
  }

  private static String[] names(Set<EventKind> events) {
    return events.stream().sorted().map(EventKind::toString).toArray(String[]::new);
  }

  private static Webhook webhook(ResultSet row) throws SQLException {
    return new Webhook(
        row.getLong(1),
        row.getString(2),
        URI.create(row.getString(3)),
        Stream.of((String[]) row.getArray(4).getArray())
            .flatMap(name -> EventKind.parse(name).stream())
            .collect(Collectors.toSet()),
        row.getBoolean(5),
        row.getTimestamp(6).toInstant());
  }
}
