package io.artifactserver.storage.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.progress.DeliveredBytes;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** An update to rates of progress, in a real PostgreSQL. */
class ProgressMigrationTest {
  @Test
  void countsWhatDevicesHadBefore() throws Exception {
    TestDatabase database = TestDatabase.create();
    CatalogApplication.migrate(database, 18);
    Map<String, DeliveredBytes> devices = devices();
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "insert into repository (name, public, encrypted, created_at)"
              + " values ('edge', true, false, now())");
      try (PreparedStatement insert =
          connection.prepareStatement(
              "insert into progress (repository_id, sha256, device, delivered, updated_at)"
                  + " select id, decode(repeat('00', 32), 'hex'), ?, ?, now() from repository")) {
        for (Map.Entry<String, DeliveredBytes> device : devices.entrySet()) {
          insert.setString(1, device.getKey());
          insert.setBytes(2, device.getValue().encoded());
          insert.execute();
        }
      }
      CatalogApplication.migrate(database, 19);
      Map<String, Long> counted = new LinkedHashMap<>();
      try (ResultSet rows =
          statement.executeQuery(
              "select device, bytes from progress where stretch_began_at = updated_at")) {
        while (rows.next()) {
          counted.put(rows.getString(1), rows.getLong(2));
        }
      }
      assertThat(counted).hasSameSizeAs(devices);
      devices.forEach((name, delivered) ->
          assertThat(counted).as(delivered.toString()).containsEntry(name, delivered.count()));
    }
  }

  private static Map<String, DeliveredBytes> devices() {
    SplittableRandom random = new SplittableRandom(19);
    Map<String, DeliveredBytes> devices = new LinkedHashMap<>();
    devices.put("nothing", DeliveredBytes.NONE);
    devices.put("large", DeliveredBytes.of(new ByteRange(0, 1L << 40)));
    for (int i = 0; i < 100; i++) {
      DeliveredBytes delivered = DeliveredBytes.NONE;
      for (int run = 0; run < i; run++) {
        long bound = 1L << (1 + random.nextInt(33));
        delivered =
            delivered.plus(new ByteRange(random.nextLong(bound), 1 + random.nextLong(bound)));
      }
      devices.put("device-" + i, delivered);
    }
    return devices;
  }
}
