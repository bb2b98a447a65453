package io.artifactserver.storage.catalog.progress;

import io.artifactserver.core.progress.ProgressStore.Addition;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.springframework.jdbc.core.JdbcTemplate;

/** Tells webhooks of devices that were sent all of an artifact. Pure functions. */
final class CompletedDownloads {
  /** With the first paths of the artifact. */
  private static final String TELL =
      """
      select tell_webhooks(r.id, 'artifact.completed', json_build_object(
        'repository', r.name, 'device', done.device, 'sha256', done.sha256, 'length', done.length,
        'paths', array(
          select a.path from blob b join artifact a on a.blob_id = b.id
          where b.sha256 = decode(done.sha256, 'hex') and a.repository_id = r.id
          order by a.path limit 10)))
      from unnest(?::text[], ?::text[], ?::text[], ?::text[]::bigint[])
        as done (repository, sha256, device, length)
      join repository r on r.name = done.repository
      where exists (select from webhook w where w.repository_id = r.id and w.enabled)
      """;

  private CompletedDownloads() {}

  /** A part of the transaction that writes the progress. */
  static void tell(JdbcTemplate jdbc, List<Addition> completed) {
    if (!completed.isEmpty()) {
      jdbc.query(
          TELL,
          statement -> {
            setTexts(statement, 1, completed, row -> row.subject().repository());
            setTexts(statement, 2, completed, row -> row.subject().sha256().hex());
            setTexts(statement, 3, completed, row -> row.progress().device());
            setTexts(statement, 4, completed, row -> String.valueOf(row.subject().length()));
          },
          row -> {});
    }
  }

  static void setTexts(
      PreparedStatement statement, int place, List<Addition> rows, Function<Addition, String> text)
      throws SQLException {
    statement.setArray(
        place,
        statement
            .getConnection()
            .createArrayOf("text", rows.stream().map(text).toArray(String[]::new)));
  }
}
