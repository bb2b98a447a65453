package io.artifactserver.rest.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.api.artifact.UploadProperties;
import io.artifactserver.rest.server.guard.ConnectionProperties;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.util.unit.DataSize;

/**
 * The table of docs/security.md, "Memory": it says what the code does, and all of it fits into the
 * heap that the launcher allows.
 */
class MemoryBudgetTest {
  private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern ROW =
      Pattern.compile("\\| ([^|]+) \\| (\\d+) \\| (\\d+) \\| (\\d+) \\|.*");
  private static final int READ_AHEAD_SHARE = 3;

  private final Map<String, Row> rows = new LinkedHashMap<>();

  private record Row(long count, long bytesEach, long megabytes) {
    private long bytes() {
      return count * bytesEach;
    }
  }

  @BeforeEach
  void read() throws IOException {
    for (String line : Files.readAllLines(PROJECT.resolve("docs/security.md"))) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        rows.put(
            row.group(1),
            new Row(
                Long.parseLong(row.group(2)),
                Long.parseLong(row.group(3)),
                Long.parseLong(row.group(4))));
      }
    }
  }

  @Test
  void allThatClientsCanMakeTheServerHoldFitsIntoTheHeap() throws IOException {
    assertThat(rows).hasSize(10);
    long sum = rows.values().stream().mapToLong(Row::bytes).sum();
    assertThat(sum).isLessThan(heap());
  }

  @Test
  void theTableSaysWhatTheDefaultsAre() throws IOException {
    ConnectionProperties connections =
        bind("artifact-server.connections", ConnectionProperties.class);
    UploadProperties uploads = bind("artifact-server.upload", UploadProperties.class);
    assertThat(row("connections.max`").count()).isEqualTo(connections.max());
    assertThat(row("connections.max-held`").bytes()).isEqualTo(connections.maxHeld().toBytes());
    assertThat(row("upload.max-concurrent`").count()).isEqualTo(uploads.maxConcurrent());
    assertThat(row("upload.max-unfinished`").count()).isEqualTo(uploads.maxUnfinished());
    assertThat(row("read-ahead").bytes()).isEqualTo(heap() / READ_AHEAD_SHARE);
    assertThat(Files.readString(PROJECT.resolve("docs/configuration.md")))
        .contains(
            "| `artifact-server.catalog.cache-size` | `%d` |"
                .formatted(row("catalog.cache-size`").count()));
  }

  @Test
  void theTableIsRightlyMultiplied() {
    rows.forEach((name, row) ->
        assertThat(Math.round(row.bytes() / 1e6)).as(name).isEqualTo(row.megabytes()));
  }

  private Row row(String name) {
    return rows.entrySet().stream()
        .filter(row -> row.getKey().contains(name))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElseThrow();
  }

  /** A machine with the memory that the documentation asks for. */
  private static long heap() throws IOException {
    Matcher share =
        Pattern.compile("heap=\\$\\(\\(memory / (\\d+)\\)\\)")
            .matcher(
                Files.readString(
                    PROJECT.resolve("artifact-server-rest/src/main/launcher/artifact-server")));
    assertThat(share.find()).isTrue();
    Matcher memory =
        Pattern.compile("below (\\d+) GB")
            .matcher(Files.readString(PROJECT.resolve("docs/security.md")));
    assertThat(memory.find()).isTrue();
    return DataSize.ofGigabytes(Long.parseLong(memory.group(1))).toBytes()
        / Long.parseLong(share.group(1));
  }

  private static <T> T bind(String prefix, Class<T> type) {
    return new Binder(new MapConfigurationPropertySource(Map.of())).bindOrCreate(prefix, type);
  }
}
