package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.ChaosModel.Absence;
import io.artifactserver.rest.endtoend.ChaosModel.Access;
import io.artifactserver.rest.endtoend.ChaosModel.ArtifactPath;
import io.artifactserver.rest.endtoend.ChaosModel.Content;
import io.artifactserver.rest.endtoend.ChaosModel.Link;
import io.artifactserver.rest.endtoend.ChaosModel.Repository;
import io.artifactserver.rest.endtoend.ChaosModel.State;
import io.artifactserver.rest.endtoend.ChaosModel.Token;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Compares all that a server has with a model, once nobody changes anything. */
final class ChaosAccounts {
  /** The server slows down an address with more wrong tokens than a hundred. */
  private static final int TRIED = 40;

  /** Objects that a server keeps beside its blobs. */
  private static final Set<String> NO_BLOBS = Set.of("installation-id", "probe");

  private final PackagedServer server;
  private final Operator operator;
  private final ChaosModel model;
  private final Optional<Path> bucket;

  /**
   * @param bucket folder of its objects; none if the blobs are in the data folder
   */
  ChaosAccounts(PackagedServer server, Operator operator, ChaosModel model, Optional<Path> bucket) {
    this.server = server;
    this.operator = operator;
    this.model = model;
    this.bucket = bucket;
  }

  /**
   * Returns the state that a download shows, one of those that are allowed now.
   *
   * @throws AssertionError if it shows another one
   */
  static State state(ArtifactPath path, HttpResponse<byte[]> answer) {
    Set<State> allowed = path.states().allowed();
    Optional<State> found =
        allowed.stream()
            .filter(state ->
                switch (state) {
                  case Absence.NEVER_USED -> answer.statusCode() == 404;
                  case Absence.DELETED -> answer.statusCode() == 410;
                  case Content content ->
                      answer.statusCode() == 200 && Arrays.equals(answer.body(), content.bytes());
                })
            .findFirst();
    return found.orElseThrow(() ->
        new AssertionError(
            "%s is answered with %d, %d bytes, %s; it must be one of %s"
                .formatted(
                    path,
                    answer.statusCode(),
                    answer.body().length,
                    answer.headers().firstValue("ETag"),
                    allowed)));
  }

  /** Returns limits as the model has them. */
  static String limits(HttpResponse<String> answer) {
    ChaosClient.require(200, answer);
    JsonNode limits = JsonMapper.shared().readTree(answer.body());
    return number(limits.path("bytesPerSecond")) + " " + number(limits.path("concurrentDownloads"));
  }

  private static String number(JsonNode node) {
    return node.isNumber() ? node.asString() : "null";
  }

  void require() throws Exception {
    for (ArtifactPath path : model.paths()) {
      assertThat(path.states().allowed()).as("states of %s", path).hasSize(1);
      state(path, operator.download(path.address()));
    }
    for (Repository repository : model.repositories()) {
      requireListed(repository);
      assertThat(limits(operator.get(repository.api() + "/limits")))
          .as("limits of " + repository.name())
          .isEqualTo(model.limits(repository).allowed().iterator().next());
    }
    requireAccess();
    for (Repository repository : model.repositories()) {
      if (repository.isEncrypted().get()) {
        eventuallyPasses(
            repository.name() + " is encrypted",
            () ->
                assertThat(operator.get(repository.api() + "/encryption").body())
                    .contains("\"complete\":true"));
      }
    }
    try (Connection connection = DurabilityIT.connect(server.dataFolder(), "artifact_server")) {
      eventuallyPasses("rows, files and keys agree", () -> requireEven(connection));
      requireUsedPaths(connection);
      requireProgress(connection);
    }
  }

  private void requireListed(Repository repository) throws Exception {
    Map<String, String> listed = new TreeMap<>();
    String next = repository.api() + "/artifacts?limit=50";
    while (!next.isEmpty()) {
      HttpResponse<String> answer = operator.get(next);
      ChaosClient.require(200, answer);
      JsonNode page = JsonMapper.shared().readTree(answer.body());
      for (JsonNode each : page.get("artifacts")) {
        listed.put(each.get("path").asString(), each.get("sha256").asString());
      }
      next = page.path("next").asString("");
    }
    Map<String, String> expected = new TreeMap<>();
    for (ArtifactPath path : model.paths()) {
      if (path.repository().equals(repository)) {
        path.content().ifPresent(content -> expected.put(path.path(), content.sha256()));
      }
    }
    assertThat(listed).as("list of " + repository.name()).isEqualTo(expected);
  }

  private void requireAccess() throws Exception {
    List<Token> tokens = model.tokens();
    for (Token token : tokens.subList(Math.max(0, tokens.size() - TRIED), tokens.size())) {
      HttpResponse<byte[]> answer =
          operator.downloadAsDevice(
              "/artifacts/secret/" + ChaosModel.PROBE, "Bearer " + token.secret());
      ChaosClient.require(token.access().is(Access.GOOD) ? 200 : 401, answer);
    }
    List<Link> links = model.links();
    for (Link link : links.subList(Math.max(0, links.size() - TRIED), links.size())) {
      HttpResponse<byte[]> answer = operator.downloadAsNobody(link.url());
      if (link.access().is(Access.GOOD)) {
        state(link.path(), answer);
      } else {
        ChaosClient.require(403, answer);
      }
    }
  }

  /** The server has a blob for each content and way to keep it, and nothing else. */
  private void requireEven(Connection connection) throws SQLException, IOException {
    Set<String> expected = new TreeSet<>();
    for (ArtifactPath path : model.paths()) {
      path.content()
          .ifPresent(
              content -> expected.add(content.sha256() + " " + path.repository().isEncrypted()));
    }
    Set<String> rows = new TreeSet<>();
    Set<String> keys = new TreeSet<>();
    Set<String> encrypted = new TreeSet<>();
    Set<String> suspects = new TreeSet<>();
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "select encode(sha256, 'hex'), encrypted, blob_key, suspect_at from blob")) {
      while (result.next()) {
        rows.add(result.getString(1) + " " + result.getBoolean(2));
        keys.add(result.getString(3));
        if (result.getBoolean(2)) {
          encrypted.add(result.getString(3));
        }
        if (result.getTimestamp(4) != null) {
          suspects.add(result.getString(3));
        }
      }
    }
    assertThat(suspects).as("suspect blobs").isEmpty();
    assertThat(rows).as("rows of blobs").isEqualTo(expected);
    assertThat(strings(connection, "select blob_key from data_key"))
        .as("data keys")
        .isEqualTo(encrypted);
    assertThat(strings(connection, "select blob_key from blob_checksum"))
        .as("checksums")
        .isEqualTo(bucket.isPresent() ? keys : Set.of());
    if (bucket.isPresent()) {
      Set<String> objects = files(bucket.get());
      objects.removeAll(NO_BLOBS);
      assertThat(objects).as("objects").isEqualTo(keys);
    } else {
      assertThat(files(server.dataFolder().resolve("blobs"))).as("files").isEqualTo(keys);
    }
    Path uploads = server.dataFolder().resolve("uploads");
    if (Files.exists(uploads)) {
      assertThat(files(uploads)).as("uploads under way").isEmpty();
    }
  }

  /** A path whose artifact is deleted is bound to its last bytes; no row without a deletion. */
  private void requireUsedPaths(Connection connection) throws SQLException {
    Set<String> used =
        strings(
            connection,
            "select r.name || '/' || u.path from used_path u join repository r on r.id ="
                + " u.repository_id");
    Set<String> known = new TreeSet<>();
    Set<String> deleted = new TreeSet<>();
    for (ArtifactPath path : model.paths()) {
      String name = path.repository().name() + "/" + path.path();
      known.add(name);
      if (path.states().is(Absence.DELETED)) {
        deleted.add(name);
      }
    }
    assertThat(used).as("used paths").containsAll(deleted);
    assertThat(known).as("known paths").containsAll(used);
  }

  /** No device has more of a content than there is. */
  private void requireProgress(Connection connection) throws SQLException {
    Map<String, Integer> lengths = new HashMap<>();
    List<String> wrong = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery("select encode(sha256, 'hex'), device, bytes from progress")) {
      while (result.next()) {
        int length =
            lengths.computeIfAbsent(result.getString(1), sha256 -> model.length(sha256).orElse(-1));
        if (result.getLong(3) < 0 || result.getLong(3) > length) {
          wrong.add(result.getString(2) + " has " + result.getLong(3) + " of " + length);
        }
      }
    }
    assertThat(wrong).as("progress").isEmpty();
  }

  private static Set<String> strings(Connection connection, String query) throws SQLException {
    Set<String> strings = new TreeSet<>();
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      while (result.next()) {
        strings.add(result.getString(1));
      }
    }
    return strings;
  }

  /**
   * Whether S3Proxy keeps a part of an upload there. The upload itself is a file whose name ends in
   * {@code -stub}, and counts. A part that comes while its upload is aborted stays without one: no
   * request of S3 sees it.
   */
  private static boolean isPart(Path file) {
    return file.toString().contains(".mpus-") && !file.toString().endsWith("-stub");
  }

  private static Set<String> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> !isPart(folder.relativize(file)))
          .map(file -> file.getFileName().toString())
          .collect(Collectors.toCollection(TreeSet::new));
    } catch (UncheckedIOException | NoSuchFileException e) {
      // One was swept meanwhile.
      return files(folder);
    }
  }
}
