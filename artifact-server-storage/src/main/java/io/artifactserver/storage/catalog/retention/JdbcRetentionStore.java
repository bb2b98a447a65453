package io.artifactserver.storage.catalog.retention;

import io.artifactserver.core.retention.RetentionRule;
import io.artifactserver.core.retention.RetentionRules;
import io.artifactserver.core.retention.RetentionStore;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The rules in PostgreSQL. The repository's row is locked before they change, so two changes cannot
 * mix. Immutable, thread-safe.
 */
public record JdbcRetentionStore(CatalogTransactions transactions, JdbcClient jdbc)
    implements RetentionStore {
  @Override
  public Optional<Stored> find(String repository) {
    return transactions.read(() ->
        repositoryId(repository, "")
            .map(id -> {
              List<Row> rows = rows(id);
              return new Stored(
                  rules(rows), !rows.isEmpty() && rows.stream().allMatch(Row::isActive));
            }));
  }

  @Override
  public boolean put(String repository, RetentionRules rules) {
    return transactions.write(_ -> {
      Optional<Long> found = repositoryId(repository, " for update");
      found.ifPresent(id -> {
        jdbc.sql("delete from retention_rule where repository_id = :id").param("id", id).update();
        rules.rules().forEach(rule -> insert(id, rule));
      });
      return found.isPresent();
    });
  }

  @Override
  public boolean activate(String repository, RetentionRules rules) {
    return transactions.write(_ -> {
      Optional<Long> found =
          repositoryId(repository, " for update")
              .filter(id -> rules(rows(id)).revision().equals(rules.revision()));
      found.ifPresent(id ->
          jdbc.sql("update retention_rule set is_active = true where repository_id = :id")
              .param("id", id)
              .update());
      return found.isPresent();
    });
  }

  @Override
  public Map<String, RetentionRules> active() {
    return transactions.read(() ->
        jdbc
            .sql(
                """
                select r.name, t.folder, t.newest, t.age_seconds, t.is_active
                from retention_rule t join repository r on r.id = t.repository_id
                where t.is_active
                order by r.name, t.folder
                """)
            .query((row, _) -> Map.entry(row.getString("name"), Row.of(row).rule()))
            .list()
            .stream()
            .collect(
                Collectors.groupingBy(
                    Map.Entry::getKey,
                    Collectors.collectingAndThen(
                        Collectors.mapping(Map.Entry::getValue, Collectors.toList()),
                        RetentionRules::new))));
  }

  private Optional<Long> repositoryId(String name, String lock) {
    return jdbc.sql("select id from repository where name = :name" + lock)
        .param("name", name)
        .query((row, _) -> row.getLong(1))
        .optional();
  }

  private List<Row> rows(long repositoryId) {
    return jdbc.sql(
            """
            select folder, newest, age_seconds, is_active from retention_rule
            where repository_id = :id
            order by folder
            """)
        .param("id", repositoryId)
        .query((row, _) -> Row.of(row))
        .list();
  }

  private void insert(long repositoryId, RetentionRule rule) {
    @Nullable Duration age = rule.age();
    jdbc.sql(
            """
            insert into retention_rule (repository_id, folder, newest, age_seconds, is_active)
            values (:id, :folder, cast(:newest as integer), cast(:age as bigint), false)
            """)
        .param("id", repositoryId)
        .param("folder", rule.folder())
        .param("newest", rule.newest())
        .param("age", age == null ? null : age.toSeconds())
        .update();
  }

  private static RetentionRules rules(List<Row> rows) {
    return new RetentionRules(rows.stream().map(Row::rule).toList());
  }

  private record Row(RetentionRule rule, boolean isActive) {
    static Row of(ResultSet row) throws SQLException {
      @Nullable Long age = row.getObject("age_seconds", Long.class);
      return new Row(
          new RetentionRule(
              row.getString("folder"),
              row.getObject("newest", Integer.class),
              age == null ? null : Duration.ofSeconds(age)),
          row.getBoolean("is_active"));
    }
  }
}
