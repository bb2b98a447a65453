package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Documents about artifacts: who attaches them, and what is refused. */
@ExtendWith(SharedServer.class)
class AttachmentIT extends AttachmentFixture {
  private static final String SBOM =
      """
      {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "components": [ { "type": "library", "name": "busybox" } ]
      }
      """;

  @Test
  void aDocumentIsAttachedListedReadAndDeleted(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server)) {
      repository(operator, "documents");
      assertThat(operator.put("documents", "1.2/a%20b.img", BYTES).statusCode()).isEqualTo(201);
      String artifact = artifacts("documents") + "1.2/a%20b.img";
      assertThat(attach(operator, artifact, "kind=sbom", "{}").statusCode()).isEqualTo(422);
      HttpResponse<String> made =
          attach(operator, artifact, "kind=sbom&label=tool=syft&label=a%3Db,c", SBOM);
      assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
      String self = made.headers().firstValue("Location").orElseThrow();
      assertThat(self).isEqualTo(artifact + "/attachments/" + json(made).get("sha256").asString());
      assertThat(json(made).get("format").asString()).isEqualTo("CycloneDX 1.6");
      assertThat(json(made).get("labels").toString())
          .isEqualTo("{\"a\":\"b,c\",\"tool\":\"syft\"}");
      assertThat(json(made).has("verified")).isFalse();
      assertThat(json(made).get("read").asBoolean()).isTrue();
      assertThat(attach(operator, artifact, "kind=sbom", SBOM).statusCode()).isEqualTo(200);
      assertThat(attach(operator, artifact, "kind=notes", SBOM).statusCode()).isEqualTo(409);
      HttpResponse<String> list = operator.get(artifact + "/attachments");
      assertThat(json(list).get("attachments")).hasSize(1);
      assertThat(list.headers().firstValue("Link"))
          .hasValue("<%s>; rel=\"describedby\"; title=\"sbom\"".formatted(self));
      assertThat(operator.get(artifact).headers().firstValue("Link"))
          .hasValue("<%s/attachments>; rel=\"describedby\"".formatted(artifact));
      HttpResponse<String> bytes = operator.get(self);
      assertThat(bytes.body()).isEqualTo(SBOM);
      assertThat(bytes.headers().map())
          .containsEntry("Content-Type", List.of("application/json"))
          .containsEntry("Content-Disposition", List.of("attachment"))
          .containsEntry("Content-Security-Policy", List.of("sandbox"))
          .containsEntry("X-Content-Type-Options", List.of("nosniff"));
      assertThat(operator.delete(self).statusCode()).isEqualTo(204);
      assertThat(operator.get(self).statusCode()).isEqualTo(404);
      assertThat(operator.delete(self).statusCode()).isEqualTo(404);
      assertThat(operator.audit()).anyMatch(entry -> entry.contains("a%20b.img/attachments"));
    }
  }

  @Test
  void whatIsNoDocumentIsRefusedWithTheLine(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newHttpClient()) {
      repository(operator, "attach-refused");
      operator.put("attach-refused", "a", BYTES);
      String artifact = artifacts("attach-refused") + "a";
      HttpResponse<String> broken =
          attach(operator, artifact, "kind=sbom", SBOM.replace("library", "nothing"));
      assertThat(broken.statusCode()).isEqualTo(422);
      assertThat(broken.body()).contains("Broken document", "Line 3");
      Map<String, Integer> queries =
          Map.of(
              "",
              400,
              "kind=",
              400,
              "kind=SBOM",
              400,
              "kind=other",
              400,
              "kind=sbom&label=x",
              400,
              "kind=notes&label=%20=1",
              400,
              "kind=notes&label=a=1&label=a=2",
              400);
      for (Map.Entry<String, Integer> query : queries.entrySet()) {
        assertThat(attach(operator, artifact, query.getKey(), SBOM).statusCode())
            .as(query.getKey())
            .isEqualTo(query.getValue());
      }
      assertThat(attach(operator, artifact, "kind=notes", "").statusCode()).isEqualTo(400);
      assertThat(attach(operator, artifact, "kind=notes", "x".repeat((4 << 20) + 1)).statusCode())
          .isEqualTo(413);
      assertThat(attach(operator, artifact, "kind=signature", "x".repeat(16_385)).statusCode())
          .isEqualTo(413);
      assertThat(
              attach(operator, artifacts("attach-refused") + "no", "kind=notes", "x").statusCode())
          .isEqualTo(404);
      String token = token(operator, "publisher", "attach-refused", "");
      // A form is bytes as others are: nobody reads its fields.
      HttpResponse<String> form =
          client.send(
              request(server, artifact + "/attachments?kind=notes", token)
                  .header("Content-Type", "application/x-www-form-urlencoded")
                  .POST(BodyPublishers.ofString("kind=sbom&label=a=1"))
                  .build(),
              BodyHandlers.ofString());
      assertThat(form.statusCode()).as(form.body()).isEqualTo(201);
      assertThat(json(form).get("kind").asString()).isEqualTo("notes");
      assertThat(json(form).get("mediaType").asString()).isEqualTo("application/octet-stream");
      assertThat(json(form).has("labels")).isFalse();
      assertThat(json(form).has("read")).isFalse();
      HttpResponse<String> unread =
          attach(
              operator,
              artifact,
              "kind=sbom",
              "{\"@context\": \"https://spdx.org/rdf/3.0.1/spdx-context.jsonld\"}");
      assertThat(json(unread).get("read").asBoolean(true)).isFalse();
      assertThat(json(unread).has("format")).isFalse();
      operator.delete(json(unread).get("self").asString());
      // The library that reads SBOMs in XML is not offered to the API's clients.
      HttpResponse<String> link =
          client.send(
              request(server, "/api/v1/links", token)
                  .header("Content-Type", "application/xml")
                  .POST(BodyPublishers.ofString("<a/>"))
                  .build(),
              BodyHandlers.ofString());
      assertThat(link.statusCode()).isEqualTo(415);
      assertThat(json(operator.get(artifact + "/attachments")).get("attachments")).hasSize(1);
    }
  }

  @Test
  void anUploadWarnsOfABadUpdate(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server)) {
      repository(operator, "linted");
      byte[] compressed = Bytes.random(1_000, 3);
      System.arraycopy(new byte[] {(byte) 0x1f, (byte) 0x8b, 8}, 0, compressed, 0, 3);
      assertThat(json(operator.put("linted", "a.gz", compressed)).get("warnings").toString())
          .contains("one compressed stream");
      assertThat(json(operator.put("linted", "a", BYTES)).has("warnings")).isFalse();
      try (TusClient tus = new TusClient(server, server.operatorToken())) {
        HttpResponse<String> last =
            tus.patch(tus.begin("linted", "b.gz", compressed.length), 0, compressed);
        assertThat(last.headers().firstValue("Artifact-Warnings").orElse(""))
            .contains("one compressed stream");
        assertThat(
                tus.patch(tus.begin("linted", "b", BYTES.length), 0, BYTES)
                    .headers()
                    .firstValue("Artifact-Warnings"))
            .isEmpty();
      }
    }
  }

  /** Documents that take long to read, many at a time: the admin is answered meanwhile. */
  @Test
  void aFloodOfHostileDocumentsKeepsNobodyOut(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newHttpClient()) {
      repository(operator, "flooded");
      operator.put("flooded", "a", BYTES);
      String token = token(operator, "publisher", "flooded", "");
      List<String> hostile =
          List.of(
              "[" + "[],".repeat(1_000_000) + "[]]",
              "{\"a\":".repeat(500_000),
              "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>",
              SBOM.replace("\"busybox\"", "\"" + "b".repeat(4_000_000) + "\""));
      List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < 24; i++) {
        answers.add(
            client.sendAsync(
                request(server, artifacts("flooded") + "a/attachments?kind=sbom", token)
                    .POST(BodyPublishers.ofString(hostile.get(i % hostile.size())))
                    .build(),
                BodyHandlers.ofString()));
      }
      assertThat(operator.get("/api/v1/tokens").statusCode()).isEqualTo(200);
      assertThat(operator.download("/artifacts/flooded/a").body()).isEqualTo(BYTES);
      for (CompletableFuture<HttpResponse<String>> answer : answers) {
        assertThat(answer.get().statusCode()).isIn(200, 201, 422, 503);
        assertThat(answer.get().body()).doesNotContain("root:");
      }
      assertThat(json(operator.get(artifacts("flooded") + "a/attachments")).get("attachments"))
          .hasSizeLessThan(2);
    }
  }

  @Test
  void eachRoleDoesWhatItMay(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newHttpClient()) {
      repository(operator, "roles");
      operator.put("roles", "in/a", BYTES);
      operator.put("roles", "out/a", BYTES);
      String in = artifacts("roles") + "in/a/attachments";
      String out = artifacts("roles") + "out/a/attachments";
      String keys = api("roles") + "/release-keys";
      assertThat(operator.json("POST", in + "?kind=notes", "words").statusCode()).isEqualTo(201);
      String self = in + '/' + sha256(operator, in);
      operator.json("POST", out + "?kind=notes", "words");
      String scope = ",\"paths\":[\"in\"]";
      Map<String, List<Integer>> expected =
          Map.of(
              "nobody", List.of(401, 401, 401, 401, 401, 401),
              "device", List.of(403, 403, 403, 403, 403, 403),
              "reader", List.of(200, 200, 403, 403, 403, 403),
              "publisher", List.of(200, 200, 403, 201, 204, 403));
      for (Map.Entry<String, List<Integer>> role : expected.entrySet()) {
        @Nullable String token =
            role.getKey().equals("nobody") ? null : token(operator, role.getKey(), "roles", scope);
        List<HttpRequest> requests =
            List.of(
                request(server, in, token).GET().build(),
                request(server, self, token).GET().build(),
                request(server, out, token).GET().build(),
                request(server, in + "?kind=notes", token)
                    .POST(BodyPublishers.ofString("by " + role.getKey()))
                    .build(),
                request(server, self, token).DELETE().build(),
                request(server, keys, token)
                    .header("Content-Type", "application/json")
                    .PUT(BodyPublishers.ofString("{\"keys\": []}"))
                    .build());
        List<Integer> statuses = new ArrayList<>();
        for (HttpRequest request : requests) {
          statuses.add(client.send(request, BodyHandlers.discarding()).statusCode());
        }
        assertThat(statuses).as(role.getKey()).isEqualTo(role.getValue());
        operator.json("POST", in + "?kind=notes", "words");
      }
    }
  }

  @Test
  void aHoldKeepsAttachments(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server)) {
      repository(operator, "kept");
      operator.put("kept", "a", BYTES);
      String artifact = artifacts("kept") + "a";
      attach(operator, artifact, "kind=notes", "words");
      String self = artifact + "/attachments/" + sha256(operator, artifact + "/attachments");
      String until = Instant.now().plus(1, ChronoUnit.HOURS).toString();
      assertThat(
              operator
                  .json(
                      "PUT",
                      artifact + "/hold",
                      "{\"until\": \"%s\", \"reason\": \"recall 7\"}".formatted(until))
                  .statusCode())
          .isEqualTo(200);
      HttpResponse<String> refused = operator.delete(self);
      assertThat(refused.statusCode()).isEqualTo(409);
      assertThat(refused.body()).contains("Held", "recall 7");
      assertThat(operator.get(self).body()).isEqualTo("words");
      assertThat(attach(operator, artifact, "kind=notes", "more").statusCode()).isEqualTo(201);
    }
  }
}
