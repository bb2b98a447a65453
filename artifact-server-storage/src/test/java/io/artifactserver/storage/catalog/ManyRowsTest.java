package io.artifactserver.storage.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.PathRange;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.core.progress.RolloutStore;
import io.artifactserver.storage.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A page costs as many rows of its table as it shows, however many there are: PostgreSQL counts
 * what it reads within a transaction. Tables that are joined it may read whole while they are
 * small.
 */
class ManyRowsTest {
  private static final int PAGE = 101;

  /** Rows that the planner itself looks at: the ends of indexes. */
  private static final int PLANNING = 10;

  private static final ProgressSubject FIRMWARE =
      new ProgressSubject("many", Digest.of(DigestAlgorithm.SHA_256, new byte[32]), 1000);

  private static CatalogApplication application;
  private static ArtifactCatalog catalog;
  private static JdbcTemplate jdbc;
  private static TransactionTemplate transaction;

  @BeforeAll
  static void start() throws Exception {
    TestDatabase database = TestDatabase.create();
    application = new CatalogApplication(database, "artifact-server.catalog.cache-size=0");
    catalog = application.bean(ArtifactCatalog.class);
    jdbc = application.bean(JdbcTemplate.class);
    transaction = new TransactionTemplate(application.bean(PlatformTransactionManager.class));
    catalog.createRepository("many", true, false);
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          insert into blob (blob_key, length, encrypted, sha256, created_at)
            select md5(i::text), i, false, sha256(i::text::bytea), now()
            from generate_series(1, 10000) i;
          insert into blob_digest (blob_id, algorithm, value)
            select b.id, a.name, substr(sha512(b.blob_key::bytea), 1, a.length)
            from blob b, (values ('md5', 16), ('sha1', 20), ('sha256', 32), ('sha512', 64))
              as a (name, length);
          insert into artifact (repository_id, path, blob_id, media_type, created_at)
            select r.id, 'board-' || b.length % 100 || '/1.' || b.length / 100 || '/fw.img', b.id,
              'application/octet-stream', now()
            from repository r, blob b;
          insert into used_path (repository_id, path, sha256, deleted_at, media_type)
            select a.repository_id, a.path || '.old', b.sha256, now(), a.media_type
            from artifact a join blob b on b.id = a.blob_id;
          insert into progress (
              repository_id, sha256, device, delivered, updated_at, bytes, stretch_began_at)
            select r.id, decode(repeat('00', 32), 'hex'), 'device-' || i,
              case when i % 10 = 0 then '\\x000a'::bytea else '\\x00e807'::bytea end,
              now() - interval '1 hour', case when i % 10 = 0 then 10 else 1000 end,
              now() - interval '1 hour'
            from repository r, generate_series(1, 100000) i;
          insert into access_token (id, name, role, secret_digest, created_at)
            select md5(i::text), 'token ' || i, 'DEVICE', md5(i::text) || md5(i::text), now()
            from generate_series(1, 10000) i;
          analyze
          """);
    }
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @Test
  void aPageOfArtifactsReadsItsOwnRows() {
    for (String prefix : List.of("", "b", "board-5", "board-77/", "board-77/1.5/fw.img", "none")) {
      List<PathRange> ranges = List.of(PathRange.beginningWith(prefix));
      for (String after : List.of("", "board-5", "board-98/1.9/fw.img")) {
        assertThat(rowsRead("artifact", () -> catalog.list("many", ranges, after, PAGE)))
            .as("'%s' after '%s'", prefix, after)
            .isLessThanOrEqualTo(PAGE + PLANNING);
      }
    }
    assertThat(
            rowsRead("artifact", () -> catalog.find(new ArtifactId("many", "board-77/1.5/fw.img"))))
        .isLessThanOrEqualTo(1 + PLANNING);
  }

  @Test
  void aPageOfDeletionsReadsItsOwnRows() {
    for (String prefix : List.of("", "board-77/")) {
      List<PathRange> ranges = List.of(PathRange.beginningWith(prefix));
      for (String after : List.of("", "board-5")) {
        assertThat(rowsRead("used_path", () -> catalog.listDeleted("many", ranges, after, PAGE)))
            .as("'%s' after '%s'", prefix, after)
            .isLessThanOrEqualTo(PAGE + PLANNING);
      }
    }
  }

  @Test
  void whatOneDeviceHasReadsItsOwnRows() {
    ProgressStore progress = application.bean(ProgressStore.class);
    assertThat(rowsRead("progress", () -> progress.ofDevice("device-777", 100)))
        .isLessThanOrEqualTo(1 + PLANNING);
    assertThat(rowsRead("progress", () -> progress.list(FIRMWARE, "device-777", PAGE)))
        .isLessThanOrEqualTo(PAGE + PLANNING);
  }

  @Test
  void aPageOfTokensReadsItsOwnRows() {
    AccessTokenStore tokens = application.bean(AccessTokenStore.class);
    assertThat(rowsRead("access_token", () -> tokens.list(AccessTokenStore.Position.START, PAGE)))
        .isLessThanOrEqualTo(PAGE + PLANNING);
  }

  /** Adding up reads each device once, and hands out a few lines. */
  @Test
  void aRolloutIsAddedUpWhereItIs() {
    RolloutStore rollouts = application.bean(RolloutStore.class);
    Instant since = Instant.now().minusSeconds(60);
    assertThat(rollouts.seen("many")).isEqualTo(100_000);
    assertThat(rollouts.stuck(FIRMWARE, since, 50)).hasSize(50);
    assertThat(rowsRead("progress", () -> rollouts.stuck(FIRMWARE, since, 50)))
        .isLessThanOrEqualTo(100_000 + PLANNING);
    // Nobody is active: an index says so.
    assertThat(rowsRead("progress", () -> rollouts.slowest(FIRMWARE, since, 50)))
        .isLessThanOrEqualTo(1 + PLANNING);
    assertThat(rowsRead("progress", () -> rollouts.active(since)))
        .isLessThanOrEqualTo(1 + PLANNING);
    long before = application.statements();
    long[] told = new long[2];
    rollouts.groups(
        FIRMWARE,
        since,
        group -> {
          told[0]++;
          told[1] += group.devices();
        });
    assertThat(told).containsExactly(2, 100_000);
    assertThat(application.statements() - before).isEqualTo(1);
  }

  /** Rows of the table that PostgreSQL looks at, those that conditions drop, too. */
  private static long rowsRead(String table, Supplier<?> work) {
    return Objects.requireNonNull(
        transaction.execute(_ -> {
          long before = rowsRead(table);
          Objects.requireNonNull(work.get());
          return rowsRead(table) - before;
        }));
  }

  private static long rowsRead(String table) {
    return Objects.requireNonNull(
        jdbc.queryForObject(
            """
            select (seq_tup_read + idx_tup_fetch)::bigint from pg_stat_xact_user_tables
            where relname = ?
            """,
            Long.class,
            table));
  }
}
