package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Pacing.pause;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.Nightly;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills the server, its database, or both, at random moments while somebody uploads and deletes,
 * and compares what is there afterwards with what was acknowledged. As many rounds as {@code
 * -Dcrash.rounds} says; {@code -Dcrash.seed} repeats a run as far as the machine does.
 */
@Nightly("ChaosIT kills the server in each build, and DurabilityIT the database.")
class CrashIT {
  private static final int ROUNDS = Integer.getInteger("crash.rounds", 5);
  private static final long SEED = Long.getLong("crash.seed", System.nanoTime());
  private static final int MAX_LENGTH = 400_000;
  private static final int MAX_MILLIS = 1000;

  /** Artifacts of this length have update forms. */
  private static final int MIN_DERIVED = 100_000;

  /** A blob, its index and its control file: random bytes are not kept compressed. */
  private static final int FILES_OF_A_BLOB = 3;

  private static final String[] REPOSITORIES = {"plain", "vault"};

  @TempDir private Path folder;

  /**
   * The content that must be under a path: these bytes, or nothing. More than one if nobody
   * acknowledged.
   */
  private final Map<String, Set<Optional<Content>>> expected = new TreeMap<>();

  private final Random random = new Random(SEED);
  private int acknowledged;

  /**
   * @param seed of the bytes
   */
  private record Content(int length, long seed) {
    byte[] bytes() {
      return Bytes.random(length, seed);
    }
  }

  private enum Victim {
    SERVER,
    POSTMASTER,
    BOTH
  }

  @Test
  void whatWasAcknowledgedIsThere() throws Exception {
    System.out.printf("CrashIT: %d rounds, -Dcrash.seed=%d%n", ROUNDS, SEED);
    try (PackagedServer server =
            PackagedServer.start(
                folder.resolve("data"),
                "--artifact-server.retire.grace-period=1s",
                "--artifact-server.retire.sweep-interval=1s",
                "--artifact-server.catalog.cache-ttl=500ms",
                "--artifact-server.derive.enabled=true",
                "--artifact-server.derive.min-size=" + MIN_DERIVED + "B");
        Operator operator = new Operator(server)) {
      operator.createRepository("plain", true);
      operator.createEncryptedRepository("vault");
      for (String repository : REPOSITORIES) {
        // Deletions are followed by other bytes.
        operator.json("PATCH", "/api/v1/repositories/" + repository, "{\"mutable\": true}");
      }
      for (int round = 0; round < ROUNDS; round++) {
        Victim victim = Victim.values()[random.nextInt(Victim.values().length)];
        crash(server, operator, victim);
        compare(operator, "round %d, %s".formatted(round, victim));
      }
      // A server whose database died keeps what it cannot judge; the next start does not.
      server.kill();
      server.restart();
      compare(operator, "after the last round");
      compareForms(operator);
      requireNothingLeftOver(server.dataFolder());
    }
    System.out.printf("CrashIT: %d operations were acknowledged%n", acknowledged);
    assertThat(acknowledged).isPositive();
  }

  private void crash(PackagedServer server, Operator operator, Victim victim) throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    List<Throwable> failures = new ArrayList<>();
    Thread writer =
        Thread.ofPlatform()
            .start(() -> {
              try {
                while (!isOver.get()) {
                  act(operator);
                }
              } catch (IOException e) {
                // The server has gone.
              } catch (Throwable e) {
                failures.add(e);
              }
            });
    pause(Duration.ofMillis(random.nextInt(MAX_MILLIS)));
    if (victim != Victim.SERVER) {
      DurabilityIT.kill(DurabilityIT.postmaster(server.dataFolder()));
    }
    if (victim == Victim.POSTMASTER) {
      pause(Duration.ofMillis(random.nextInt(MAX_MILLIS)));
      isOver.set(true);
      writer.join();
      eventually("the database is back", () -> operator.get("/api/v1/tokens").statusCode() == 200);
    } else {
      server.kill();
      isOver.set(true);
      writer.join();
      server.restart();
    }
    assertThat(failures).isEmpty();
  }

  /** One operation. Its possible effects are known before it is asked for. */
  private void act(Operator operator) throws IOException, InterruptedException {
    String repository = REPOSITORIES[random.nextInt(REPOSITORIES.length)];
    String name = "artifact-" + random.nextInt(20);
    String path = repository + "/" + name;
    Set<Optional<Content>> before =
        expected.computeIfAbsent(path, _ -> new HashSet<>(Set.of(Optional.empty())));
    if (random.nextInt(3) == 0) {
      Set<Optional<Content>> either = new HashSet<>(before);
      either.add(Optional.empty());
      expected.put(path, either);
      int status =
          operator
              .delete("/api/v1/repositories/%s/artifacts/%s".formatted(repository, name))
              .statusCode();
      if (status == 204 || status == 404 || status == 410) {
        acknowledged++;
        assertThat(before)
            .as("what %s, answered with %d, may have been", path, status)
            .anyMatch(possible -> possible.isPresent() == (status == 204));
        expected.put(path, new HashSet<>(Set.of(Optional.empty())));
      } else {
        assertThat(status).isEqualTo(503);
      }
      return;
    }
    Content content = content(before);
    Set<Optional<Content>> either = new HashSet<>(before);
    either.add(Optional.of(content));
    expected.put(path, either);
    HttpResponse<String> answer = operator.put(repository, name, content.bytes());
    if (answer.statusCode() != 503) {
      assertThat(before)
          .as("what %s, answered with %d, may have been", path, answer.statusCode())
          .anyMatch(possible -> answer.statusCode() == expectedStatus(possible, content));
    }
    switch (answer.statusCode()) {
      case 200, 201 -> {
        acknowledged++;
        expected.put(path, new HashSet<>(Set.of(Optional.of(content))));
      }
      case 409 -> expected.put(path, before);
      default -> assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
    }
  }

  /** Something new, or now and then what is there already. */
  private Content content(Set<Optional<Content>> before) {
    Optional<Content> known = before.stream().flatMap(Optional::stream).findFirst();
    return known.isPresent() && random.nextInt(3) == 0
        ? known.get()
        : new Content(random.nextInt(MAX_LENGTH), random.nextInt(40));
  }

  private static int expectedStatus(Optional<Content> before, Content offered) {
    if (before.isEmpty()) {
      return 201;
    }
    return before.get().equals(offered) ? 200 : 409;
  }

  private void compare(Operator operator, String when) throws Exception {
    for (Map.Entry<String, Set<Optional<Content>>> entry : expected.entrySet()) {
      HttpResponse<byte[]> answer = operator.download("/artifacts/" + entry.getKey());
      String what = when + ", " + entry.getKey() + " of " + entry.getValue();
      Optional<Content> found =
          entry.getValue().stream()
              .filter(possible ->
                  possible.isEmpty()
                      ? answer.statusCode() == 404 || answer.statusCode() == 410
                      : answer.statusCode() == 200
                          && Arrays.equals(answer.body(), possible.get().bytes()))
              .findFirst()
              .orElseThrow(() -> new AssertionError(what + ": " + answer.statusCode()));
      entry.setValue(new HashSet<>(Set.of(found)));
    }
  }

  /** However often their making was cut off. */
  private void compareForms(Operator operator) throws Exception {
    int compared = 0;
    for (Map.Entry<String, Set<Optional<Content>>> entry : expected.entrySet()) {
      Optional<Content> content = entry.getValue().iterator().next();
      if (content.isEmpty() || content.get().length() < MIN_DERIVED) {
        continue;
      }
      String address = "/artifacts/" + entry.getKey();
      for (String form : new String[] {".caibx", ".zsync"}) {
        eventually(
            form + " of " + address, () -> operator.download(address + form).statusCode() == 200);
      }
      ByteArrayOutputStream chunks = new ByteArrayOutputStream();
      String store = address.substring(0, address.lastIndexOf('/')) + "/default.castr/";
      for (String id :
          UpdateClients.chunks(operator.download(address + ".caibx").body()).keySet()) {
        chunks.writeBytes(operator.download(store + id.substring(0, 4) + "/" + id).body());
      }
      assertThat(chunks.toByteArray()).as(address).isEqualTo(content.get().bytes());
      compared++;
    }
    System.out.printf("CrashIT: the forms of %d artifacts are right%n", compared);
  }

  private void requireNothingLeftOver(Path dataFolder) {
    long most = expected.values().stream().flatMap(Set::stream).flatMap(Optional::stream).count();
    eventually(
        "orphans are swept", () -> count(dataFolder.resolve("blobs")) <= FILES_OF_A_BLOB * most);
    eventually("uploads are swept", () -> count(dataFolder.resolve("uploads")) == 0);
  }

  private static long count(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).count();
    } catch (UncheckedIOException | NoSuchFileException e) {
      // One was swept meanwhile.
      return count(folder);
    }
  }
}
