package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A repository takes in what its quota allows, to the byte. */
@ExtendWith(SharedServer.class)
class QuotaIT {
  private static final int LENGTH = 300_000;

  /**
   * Those that are too many are answered before their body is there, on connections that end. Jetty
   * parses what comes of a body after its request is over, and refuses it by an exception.
   */
  @Test
  @ExpectsLog("HttpConnection\\$RequestHandler\\.content")
  void fiftyUploadsAtOnceFillARepositoryExactly(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      operator.createRepository("quota-parallel", true);
      setQuota(operator, "quota-parallel", 10L * LENGTH + 1, Long.MAX_VALUE);
      List<Future<Integer>> results = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        String path = "upload-" + i;
        byte[] content = Bytes.random(LENGTH, i);
        // Half of them do not say how long they are.
        BodyPublisher body =
            i % 2 == 0
                ? BodyPublishers.ofByteArray(content)
                : BodyPublishers.ofByteArrays(List.of(content));
        results.add(threads.submit(() -> upload(operator, "quota-parallel", path, body)));
      }
      List<Integer> statuses = new ArrayList<>();
      for (Future<Integer> result : results) {
        statuses.add(result.get());
      }
      assertThat(statuses).containsOnly(201, 507);
      // Those of unknown length may all have been refused because they took room from each other.
      for (int i = 0; statuses.stream().filter(status -> status == 201).count() < 10; i++) {
        statuses.add(
            upload(
                operator,
                "quota-parallel",
                "later-" + i,
                BodyPublishers.ofByteArray(Bytes.random(LENGTH, 100 + i))));
      }
      assertThat(statuses.stream().filter(status -> status == 201)).hasSize(10);
      assertThat(upload(operator, "quota-parallel", "two", BodyPublishers.ofByteArray(new byte[2])))
          .isEqualTo(507);
      assertThat(operator.get("/api/v1/repositories/quota-parallel/quota").body())
          .contains("\"used\":{\"bytes\":3000000,\"artifacts\":10}")
          .contains("\"reserved\":{\"bytes\":0,\"artifacts\":0}");
      assertThat(upload(operator, "quota-parallel", "one", BodyPublishers.ofByteArray(new byte[1])))
          .isEqualTo(201);
    }
  }

  /** As many are under way as may be, so some are told to come again. */
  private static int upload(Operator operator, String repository, String path, BodyPublisher body)
      throws IOException, InterruptedException {
    while (true) {
      HttpResponse<String> response = operator.put(repository, path, body);
      if (response.statusCode() != 503) {
        return response.statusCode();
      }
      Thread.onSpinWait();
    }
  }

  @Test
  void aSenderThatGoesAwayGivesItsRoomBack(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        Wire wire = new Wire(server.port())) {
      operator.createRepository("quota-abort", true);
      setQuota(operator, "quota-abort", 1000, 1);
      wire.send(
          """
          PUT /api/v1/repositories/quota-abort/artifacts/cut HTTP/1.1\r
          Host: a\r
          Authorization: Bearer %s\r
          Content-Length: 1000\r
          \r
          only this\
          """
              .formatted(server.operatorToken()));
      await(operator, "\"reserved\":{\"bytes\":1000,\"artifacts\":1}");
      assertThat(operator.put("quota-abort", "other", new byte[1]).statusCode()).isEqualTo(507);
    }
    try (Operator operator = new Operator(server)) {
      await(operator, "\"reserved\":{\"bytes\":0,\"artifacts\":0}");
      HttpResponse<String> tooLong =
          operator.put(
              "quota-abort",
              "long",
              BodyPublishers.ofInputStream(InputStream::nullInputStream),
              "Content-Type",
              "application/x-empty");
      assertThat(tooLong.statusCode()).isEqualTo(201);
      HttpResponse<String> refused = operator.put("quota-abort", "other", new byte[1]);
      assertThat(refused.statusCode()).isEqualTo(507);
      assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
      assertThat(refused.body()).contains("Quota exceeded").contains("quota-abort");
      assertThat(operator.delete("/api/v1/repositories/quota-abort/artifacts/long").statusCode())
          .isEqualTo(204);
      assertThat(operator.put("quota-abort", "other", new byte[1000]).statusCode()).isEqualTo(201);
    }
  }

  private static void await(Operator operator, String expected) {
    eventuallyPasses(
        expected,
        () ->
            assertThat(operator.get("/api/v1/repositories/quota-abort/quota").body())
                .contains(expected));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "public | {\"bytes\": -1, \"artifacts\": 1}                   | 400",
        "public | {\"bytes\": 1, \"artifacts\": -9223372036854775808} | 400",
        "public | {\"bytes\": 9223372036854775808}                    | 400",
        "public | {\"bytes\": \"many\"}                               | 400",
        "public | {\"size\": 1}                                       | 400",
        "public | []                                                  | 400",
        "public | {\"bytes\": 9223372036854775807}                    | 200",
        "public | {\"bytes\": null, \"artifacts\": null}              | 200",
        "absent | {\"bytes\": 1}                                      | 404",
        "-name  | {\"bytes\": 1}                                      | 400"
      })
  void refusesWhatIsNoQuota(String repository, String body, int status, PackagedServer server)
      throws Exception {
    try (Operator operator = new Operator(server)) {
      HttpResponse<String> response =
          operator.json("PUT", "/api/v1/repositories/" + repository + "/quota", body);
      assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
      assertThat(operator.get("/api/v1/repositories/public/quota").body())
          .startsWith("{\"bytes\":null,\"artifacts\":null,");
    }
  }

  private static void setQuota(Operator operator, String repository, long bytes, long artifacts)
      throws IOException, InterruptedException {
    HttpResponse<String> response =
        operator.json(
            "PUT",
            "/api/v1/repositories/" + repository + "/quota",
            "{\"bytes\": %s, \"artifacts\": %s}".formatted(bytes, artifacts));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
  }
}
