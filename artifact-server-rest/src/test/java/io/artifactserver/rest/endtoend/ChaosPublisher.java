package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Pacing.pause;

import io.artifactserver.rest.endtoend.ChaosModel.Absence;
import io.artifactserver.rest.endtoend.ChaosModel.ArtifactPath;
import io.artifactserver.rest.endtoend.ChaosModel.Content;
import io.artifactserver.rest.endtoend.ChaosModel.Repository;
import io.artifactserver.rest.endtoend.ChaosModel.State;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Uploads and deletes artifacts under paths of its own, whose contents and repositories it shares
 * with others. Used by one thread.
 */
final class ChaosPublisher implements ChaosIT.Participant {
  private static final int MAX_LIVE = 25;
  private static final int MAX_PATHS = 60;
  private static final int MAX_PAUSE_MILLIS = Integer.getInteger("chaos.pause", 30);

  private final ChaosModel model;
  private final ChaosReport report;
  private final SplittableRandom random;
  private final ChaosClient client;
  private final ChaosClient rival;
  private final String prefix;

  /** Paths that it still changes. */
  private final List<ArtifactPath> paths = new ArrayList<>();

  /** The bytes that each path has, or had last. */
  private final Map<ArtifactPath, Content> last = new HashMap<>();

  private int made;

  ChaosPublisher(
      int number, ChaosModel model, ChaosSite site, ChaosReport report, SplittableRandom random) {
    this.model = model;
    this.report = report;
    this.random = random;
    this.client = new ChaosClient(site, number, report);
    this.rival = new ChaosClient(site, number + 1, report);
    this.prefix = "publisher-" + number + "/";
  }

  /** An act, and how often it is drawn. */
  enum Act {
    PUT(16),
    /** The bytes of another path. */
    PUT_SHARED(8),
    /** Two contents for one path, at the same time. */
    PUT_TWO(4),
    PUT_PRESENT(4),
    PUT_OTHER_ON_TAKEN(4),
    PUT_OTHER_ON_USED(4),
    PUT_AGAIN(10),
    /** Other bytes after a deletion, in a mutable repository. */
    REPLACE(12),
    DELETE(20),
    DELETE_ABSENT(2),
    LIST(5);

    private final int weight;

    Act(int weight) {
      this.weight = weight;
    }
  }

  @Override
  public void run() throws Exception {
    List<Act> draws = new ArrayList<>();
    for (Act act : Act.values()) {
      for (int i = 0; i < act.weight; i++) {
        draws.add(act);
      }
    }
    for (int i = 0; i < 4; i++) {
      put(newPath(anyRepository()), model.content(random));
    }
    while (!model.isOver()) {
      perform(draws.get(random.nextInt(draws.size())));
      pause(Duration.ofMillis(random.nextInt(MAX_PAUSE_MILLIS)));
    }
  }

  @Override
  public void close() {
    client.close();
    rival.close();
  }

  private void perform(Act drawn) throws Exception {
    Act act = live().count() > MAX_LIVE ? Act.DELETE : drawn;
    Optional<ArtifactPath> path =
        switch (act) {
          case PUT, PUT_TWO, PUT_SHARED -> Optional.of(newPath(anyRepository()));
          case PUT_PRESENT, PUT_OTHER_ON_TAKEN, DELETE, LIST -> any(live());
          case PUT_AGAIN, DELETE_ABSENT -> any(deleted());
          case REPLACE -> any(deleted().filter(each -> each.repository().isMutable()));
          case PUT_OTHER_ON_USED -> any(deleted().filter(each -> !each.repository().isMutable()));
        };
    if (path.isPresent()) {
      report.act(act);
      perform(act, path.get());
      forgetOld();
    }
  }

  private void perform(Act act, ArtifactPath path) throws Exception {
    switch (act) {
      case PUT -> put(path, model.content(random));
      case PUT_SHARED ->
          put(
              path,
              model
                  .path(random, each -> each.content().isPresent())
                  .flatMap(ArtifactPath::content)
                  .orElseGet(() -> model.content(random)));
      case PUT_TWO -> putTwo(path);
      case PUT_PRESENT -> requireAnswer(200, path, last(path));
      case PUT_OTHER_ON_TAKEN, PUT_OTHER_ON_USED ->
          requireAnswer(409, path, model.contentOtherThan(last(path), random));
      case PUT_AGAIN -> put(path, last(path));
      case REPLACE -> put(path, model.contentOtherThan(last(path), random));
      case DELETE -> change(path, Absence.DELETED, 204, operator -> operator.delete(path.api()));
      case DELETE_ABSENT -> {
        Optional<HttpResponse<String>> answer = client.ask(operator -> operator.delete(path.api()));
        answer.ifPresent(each -> ChaosClient.require(410, each));
      }
      case LIST -> list(path.repository());
    }
  }

  private void put(ArtifactPath path, Content content) throws Exception {
    change(path, content, 201, uploading(path, content));
  }

  private void change(
      ArtifactPath path, State next, int status, ChaosClient.Request<String> request)
      throws Exception {
    path.states().begin(Set.of(next));
    Optional<HttpResponse<String>> answer = client.ask(request);
    if (answer.isPresent()) {
      ChaosClient.require(status, answer.get());
      end(path, next);
    } else {
      end(path, truth(path));
    }
  }

  /** An upload that changes nothing. */
  private void requireAnswer(int status, ArtifactPath path, Content content) throws Exception {
    client.ask(uploading(path, content)).ifPresent(answer -> ChaosClient.require(status, answer));
  }

  private void putTwo(ArtifactPath path) throws Exception {
    Content one = model.content(random);
    Content other = model.contentOtherThan(one, random);
    path.states().begin(Set.of(one, other));
    FutureTask<Optional<HttpResponse<String>>> rivalling =
        new FutureTask<>(() -> rival.ask(uploading(path, other)));
    Thread.ofVirtual().name("rival").start(rivalling);
    Optional<HttpResponse<String>> first = client.ask(uploading(path, one));
    Optional<HttpResponse<String>> second = rivalling.get();
    if (first.isPresent() && second.isPresent()) {
      int winner = first.get().statusCode() == 201 ? 0 : 1;
      ChaosClient.require(winner == 0 ? 201 : 409, first.get());
      ChaosClient.require(winner == 0 ? 409 : 201, second.get());
      end(path, winner == 0 ? one : other);
    } else {
      end(path, truth(path));
    }
  }

  /** A publisher knows exactly which of its paths have artifacts. */
  private void list(Repository repository) throws Exception {
    Optional<HttpResponse<String>> answer =
        client.ask(
            operator -> operator.get(repository.api() + "/artifacts?limit=1000&prefix=" + prefix));
    if (answer.isPresent()) {
      ChaosClient.require(200, answer.get());
      Map<String, String> listed = new TreeMap<>();
      for (JsonNode each : JsonMapper.shared().readTree(answer.get().body()).get("artifacts")) {
        listed.put(each.get("path").asString(), each.get("sha256").asString());
      }
      Map<String, String> expected = new TreeMap<>();
      live()
          .filter(path -> path.repository().equals(repository))
          .forEach(path -> expected.put(path.path(), last(path).sha256()));
      if (!listed.equals(expected)) {
        throw new AssertionError(
            "%s lists %s, not %s".formatted(repository.name(), listed, expected));
      }
    }
  }

  private static ChaosClient.Request<String> uploading(ArtifactPath path, Content content) {
    return operator -> operator.put(path.repository().name(), path.path(), content.bytes());
  }

  /** Asks how an act ended that was not acknowledged. */
  private State truth(ArtifactPath path) throws IOException, InterruptedException {
    HttpResponse<byte[]> answer = client.insist(operator -> operator.download(path.address()));
    return ChaosAccounts.state(path, answer);
  }

  private void end(ArtifactPath path, State state) {
    path.states().end(state);
    if (state instanceof Content content) {
      last.put(path, content);
    }
  }

  private Content last(ArtifactPath path) {
    Content content = last.get(path);
    if (content == null) {
      throw new IllegalStateException(path + " never had bytes");
    }
    return content;
  }

  private Repository anyRepository() {
    return model.repository(random, _ -> true);
  }

  private ArtifactPath newPath(Repository repository) {
    ArtifactPath path = model.addPath(repository, prefix + made++);
    paths.add(path);
    return path;
  }

  private Stream<ArtifactPath> live() {
    return paths.stream().filter(path -> path.content().isPresent());
  }

  private Stream<ArtifactPath> deleted() {
    return paths.stream().filter(path -> path.states().is(Absence.DELETED));
  }

  private Optional<ArtifactPath> any(Stream<ArtifactPath> fitting) {
    List<ArtifactPath> all = fitting.toList();
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
  }

  private void forgetOld() {
    if (paths.size() > MAX_PATHS) {
      paths.stream()
          .filter(path -> path.content().isEmpty())
          .findFirst()
          .ifPresent(path -> {
            paths.remove(path);
            last.remove(path);
          });
    }
  }
}
