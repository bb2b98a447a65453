package io.artifactserver.benchmarks.results;

import java.nio.file.Path;
import java.util.List;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A run of JMH as it is kept. Immutable.
 *
 * @param command repeats it
 * @param measuredAt when it ended, ISO 8601
 * @param commit of the sources; empty if unknown
 */
public record ResultFile(
    String command, String measuredAt, String commit, Machine machine, List<Result> results) {
  /** Writes files as they are kept, and reads them with whatever others put there. */
  public static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  public ResultFile {
    results = List.copyOf(results);
  }

  /** Reads what {@link #write} wrote. */
  public static ResultFile read(Path path) {
    return JSON.readValue(path, ResultFile.class);
  }

  /** Reads the results of such a file, or of one that JMH wrote with {@code -rf json}. */
  public static Results readResults(Path path) {
    JsonNode tree = JSON.readTree(path);
    JsonNode list = tree.isArray() ? tree : tree.path("results");
    return new Results(List.of(JSON.treeToValue(list, Result[].class)));
  }

  /** Writes a file that {@link #read} understands. */
  public void write(Path path) {
    JSON.writeValue(path, this);
  }
}
