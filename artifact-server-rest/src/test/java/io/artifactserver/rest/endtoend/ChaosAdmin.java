package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Pacing.pause;

import io.artifactserver.rest.endtoend.ChaosModel.Access;
import io.artifactserver.rest.endtoend.ChaosModel.ArtifactPath;
import io.artifactserver.rest.endtoend.ChaosModel.Link;
import io.artifactserver.rest.endtoend.ChaosModel.Repository;
import io.artifactserver.rest.endtoend.ChaosModel.Token;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Changes tokens, keys of links, limits and repositories, in rounds. Used by one thread. */
final class ChaosAdmin implements ChaosIT.Participant {
  private static final int MIN_TOKENS = 3;

  /** Each is a repository more to upload to, to list and to encrypt. */
  private static final int MAX_REPOSITORIES = 20;

  private static final int MAX_PAUSE_MILLIS = Integer.getInteger("chaos.pause", 200);
  private static final Pattern KEY = Pattern.compile("as-key=([0-9a-f]{8})");

  private final ChaosModel model;
  private final ChaosReport report;
  private final SplittableRandom random;
  private final ChaosClient client;
  private int made;

  ChaosAdmin(ChaosModel model, ChaosSite site, ChaosReport report, SplittableRandom random) {
    this.model = model;
    this.report = report;
    this.random = random;
    this.client = new ChaosClient(site, 0, report);
  }

  /** An act. */
  enum Act {
    CREATE_TOKEN,
    ROTATE_TOKEN,
    REVOKE_TOKEN,
    SIGN_LINK,
    SIGN_ANOTHER_LINK,
    REVOKE_LINKS,
    LIMIT,
    CREATE_REPOSITORY,
    ENCRYPT
  }

  /** Makes what devices need before they begin. */
  void prepare(boolean isEncrypted) throws Exception {
    for (Repository repository :
        List.of(
            repository("public", true, false, isEncrypted),
            repository("mutable", true, true, isEncrypted),
            repository("secret", false, false, isEncrypted),
            repository("vault", true, true, true),
            repository("plain-0", true, false, false))) {
      ChaosClient.require(201, client.insist(operator -> create(operator, repository)));
      model.add(repository);
    }
    ArtifactPath probe =
        model.addPath(model.repository(random, each -> !each.isPublic()), ChaosModel.PROBE);
    ChaosModel.Content content = model.content(random);
    probe.states().begin(Set.of(content));
    ChaosClient.require(
        201, client.insist(operator -> operator.put("secret", ChaosModel.PROBE, content.bytes())));
    probe.states().end(content);
    for (int i = 0; i <= MIN_TOKENS; i++) {
      createToken();
    }
    signLink();
  }

  @Override
  public void run() throws Exception {
    List<Act> round = new ArrayList<>(List.of(Act.values()));
    while (!model.isOver()) {
      Collections.shuffle(round, new Random(random.nextLong()));
      for (Act act : round) {
        if (!model.isOver()) {
          report.act(act);
          perform(act);
          pause(Duration.ofMillis(random.nextInt(MAX_PAUSE_MILLIS)));
        }
      }
    }
  }

  @Override
  public void close() {
    client.close();
  }

  private void perform(Act act) throws Exception {
    switch (act) {
      case CREATE_TOKEN -> createToken();
      case ROTATE_TOKEN -> rotateToken();
      case REVOKE_TOKEN -> revokeToken();
      case SIGN_LINK, SIGN_ANOTHER_LINK -> signLink();
      case REVOKE_LINKS -> revokeLinks();
      case LIMIT -> limit();
      case CREATE_REPOSITORY -> createRepository();
      case ENCRYPT -> encrypt();
    }
  }

  private static Repository repository(
      String name, boolean isPublic, boolean isMutable, boolean isEncrypted) {
    return new Repository(name, isPublic, isMutable, new AtomicBoolean(isEncrypted));
  }

  private static HttpResponse<String> create(Operator operator, Repository repository)
      throws IOException, InterruptedException {
    return operator.json(
        "POST",
        "/api/v1/repositories",
        "{\"name\": \"%s\", \"public\": %s, \"encrypted\": %s, \"mutable\": %s}"
            .formatted(
                repository.name(),
                repository.isPublic(),
                repository.isEncrypted(),
                repository.isMutable()));
  }

  /** A token whose making was not acknowledged is known to nobody. */
  private void createToken() throws Exception {
    Optional<HttpResponse<String>> answer =
        client.ask(operator ->
            operator.json(
                "POST",
                "/api/v1/tokens",
                "{\"name\": \"device\", \"repositories\": [\"secret\"]}"));
    if (answer.isPresent()) {
      addToken(answer.get());
    }
  }

  /** The old token stays good for an hour, whether or not the rotation is acknowledged. */
  private void rotateToken() throws Exception {
    Optional<Token> token = model.token(random, Access.GOOD);
    if (token.isPresent()) {
      Optional<HttpResponse<String>> answer =
          client.ask(operator ->
              operator.json(
                  "POST",
                  "/api/v1/tokens/" + token.get().id() + "/rotate",
                  "{\"overlap\": \"2h\"}"));
      if (answer.isPresent()) {
        addToken(answer.get());
      }
    }
  }

  private void addToken(HttpResponse<String> answer) {
    ChaosClient.require(201, answer);
    JsonNode token = JsonMapper.shared().readTree(answer.body());
    model.add(
        new Token(
            token.get("id").asString(),
            token.get("token").asString(),
            new Timeline<>(Access.GOOD)));
  }

  private void revokeToken() throws Exception {
    List<Token> good =
        model.tokens().stream().filter(token -> token.access().is(Access.GOOD)).toList();
    if (good.size() <= MIN_TOKENS) {
      return;
    }
    Token token = good.get(random.nextInt(good.size()));
    token.access().begin(Set.of(Access.REVOKED));
    Optional<HttpResponse<String>> answer =
        client.ask(operator -> operator.delete("/api/v1/tokens/" + token.id()));
    if (answer.isPresent()) {
      ChaosClient.require(204, answer.get());
      token.access().end(Access.REVOKED);
    } else {
      token.access().end(truth(token));
    }
  }

  private Access truth(Token token) throws Exception {
    HttpResponse<byte[]> answer =
        client.insist(operator ->
            operator.downloadAsDevice(
                "/artifacts/secret/" + ChaosModel.PROBE, "Bearer " + token.secret()));
    if (answer.statusCode() == 401) {
      return Access.REVOKED;
    }
    ChaosClient.require(200, answer);
    return Access.GOOD;
  }

  /** The artifact need not be there. */
  private void signLink() throws Exception {
    ArtifactPath path = model.path(random, each -> !each.repository().isPublic()).orElseThrow();
    Optional<HttpResponse<String>> answer =
        client.ask(operator ->
            operator.json(
                "POST",
                "/api/v1/links",
                "{\"repository\": \"%s\", \"path\": \"%s\", \"expires\": \"6h\"}"
                    .formatted(path.repository().name(), path.path())));
    if (answer.isPresent()) {
      ChaosClient.require(201, answer.get());
      String url = JsonMapper.shared().readTree(answer.get().body()).get("url").asString();
      Matcher key = KEY.matcher(url);
      if (!key.find()) {
        throw new AssertionError("The link has no key: " + url);
      }
      model.add(new Link(path, url, model.key(key.group(1))));
    }
  }

  /** Adds a key, and deletes one that signs no more. */
  private void revokeLinks() throws Exception {
    Optional<HttpResponse<String>> added =
        client.ask(operator -> operator.json("POST", "/api/v1/links/keys", ""));
    added.ifPresent(answer -> ChaosClient.require(201, answer));
    for (String key : keys(false)) {
      Timeline<Access> access = model.key(key);
      access.begin(Set.of(Access.REVOKED));
      Optional<HttpResponse<String>> answer =
          client.ask(operator -> operator.delete("/api/v1/links/keys/" + key));
      if (answer.isPresent()) {
        ChaosClient.require(204, answer.get());
        access.end(Access.REVOKED);
      } else {
        boolean isThere = keys(false).contains(key);
        access.end(isThere ? Access.GOOD : Access.REVOKED);
      }
    }
  }

  private List<String> keys(boolean isSigning) throws Exception {
    HttpResponse<String> answer = client.insist(operator -> operator.get("/api/v1/links/keys"));
    ChaosClient.require(200, answer);
    List<String> keys = new ArrayList<>();
    for (JsonNode key : JsonMapper.shared().readTree(answer.body()).get("keys")) {
      if (key.get("signing").asBoolean() == isSigning) {
        keys.add(key.get("id").asString());
      }
    }
    return keys;
  }

  private void limit() throws Exception {
    Repository repository = model.repository(random, _ -> true);
    String rate =
        random.nextBoolean() ? "null" : Integer.toString(random.nextInt(20, 200) * 1_000_000);
    String downloads = random.nextBoolean() ? "null" : Integer.toString(random.nextInt(2, 20));
    Timeline<String> limits = model.limits(repository);
    limits.begin(Set.of(rate + " " + downloads));
    Optional<HttpResponse<String>> answer =
        client.ask(operator ->
            operator.json(
                "PUT",
                repository.api() + "/limits",
                "{\"bytesPerSecond\": %s, \"concurrentDownloads\": %s}"
                    .formatted(rate, downloads)));
    if (answer.isPresent()) {
      ChaosClient.require(200, answer.get());
    }
    limits.end(
        ChaosAccounts.limits(
            client.insist(operator -> operator.get(repository.api() + "/limits"))));
    if (answer.isPresent() && !limits.is(rate + " " + downloads)) {
      throw new AssertionError(
          "%s is limited to %s, not %s %s"
              .formatted(repository.name(), limits.allowed(), rate, downloads));
    }
  }

  private void createRepository() throws Exception {
    if (model.repositories().size() >= MAX_REPOSITORIES) {
      return;
    }
    Repository repository = repository("plain-" + ++made, true, random.nextBoolean(), false);
    Optional<HttpResponse<String>> answer = client.ask(operator -> create(operator, repository));
    if (answer.isPresent()) {
      ChaosClient.require(201, answer.get());
      model.add(repository);
    } else {
      HttpResponse<String> truth = client.insist(operator -> operator.get(repository.api()));
      if (truth.statusCode() != 404) {
        ChaosClient.require(200, truth);
        model.add(repository);
      }
    }
  }

  /** The server encrypts the present artifacts while others upload and delete. */
  private void encrypt() throws Exception {
    Optional<Repository> plain =
        model.repositories().stream()
            .filter(each -> each.name().startsWith("plain-") && !each.isEncrypted().get())
            .findFirst();
    if (plain.isPresent()) {
      plain.get().isEncrypted().set(true);
      ChaosClient.require(
          202,
          client.insist(operator -> operator.json("POST", plain.get().api() + "/encryption", "")));
    }
  }
}
