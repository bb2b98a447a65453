package io.artifactserver.storage.catalog;

import static io.artifactserver.storage.catalog.TestContent.digests;
import static io.artifactserver.storage.catalog.TestContent.newBlob;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactCatalog.Addition;
import io.artifactserver.core.catalog.ArtifactCatalog.Removal;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.PathPolicy;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.storage.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** An update to paths that never change, in a real PostgreSQL. */
class UsedPathMigrationTest {
  @Test
  void whatWasThereBeforeNeverChangesFromNowOn() throws Exception {
    TestDatabase database = TestDatabase.create();
    CatalogApplication.migrate(database, 19);
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "insert into repository (name, public, encrypted, created_at)"
              + " values ('edge', true, false, now())");
      statement.execute(
          "insert into blob (blob_key, length, encrypted, sha256, created_at) values"
              + " ('0123456789abcdef0123456789abcdef', 3, false, decode('%s', 'hex'), now())"
                  .formatted(digests("old").sha256().hex()));
      statement.execute(
          "insert into blob_digest (blob_id, algorithm, value) select id, 'sha256', sha256 from"
              + " blob");
      statement.execute(
          "insert into artifact (repository_id, path, blob_id, media_type, created_at)"
              + " select r.id, 'fw', b.id, 'text/plain', now() from repository r, blob b");
    }
    try (CatalogApplication updated = new CatalogApplication(database)) {
      ArtifactCatalog catalog = updated.bean(ArtifactCatalog.class);
      ArtifactId id = new ArtifactId("edge", "fw");
      assertThat(catalog.repository("edge")).map(Repository::paths).contains(PathPolicy.DEFAULT);
      assertThat(catalog.usedPath(id)).isEmpty();
      assertThat(catalog.remove(id)).isInstanceOf(Removal.Removed.class);
      assertThat(catalog.add(id, "text/plain", newBlob("new"), digests("new")))
          .isInstanceOf(Addition.PathUsed.class);
      assertThat(catalog.share(id, "text/plain", digests("old")))
          .containsInstanceOf(Addition.Added.class);
    }
  }
}
