package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.waiting.Eventually;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Releases that need a signature, and devices that a VEX calls affected. */
@ExtendWith(SharedServer.class)
class SignedReleaseIT extends AttachmentFixture {
  @TempDir private Path folder;

  /** With openssl's CMS. Everything that a channel serves has been signed, and stays so. */
  @Test
  void onlyWhatIsSignedIsReleased(PackagedServer server) throws Exception {
    Client shell = new Client(folder);
    shell.succeeds(
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        "key.pem",
        "-out",
        "cert.pem",
        "-days",
        "2",
        "-subj",
        "/CN=release");
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newHttpClient()) {
      repository(operator, "signed");
      operator.put("signed", "1.0/a", BYTES);
      operator.put("signed", "1.0/gone", BYTES);
      operator.delete(artifacts("signed") + "1.0/gone");
      operator.put("signed", "1.1/a", BYTES);
      String channel = api("signed") + "/channels/stable";
      String publisher = token(operator, "publisher", "signed", "");
      assertThat(operator.json("PUT", channel, "{\"release\": \"1.1\"}").statusCode())
          .isEqualTo(200);
      String body =
          JsonMapper.shared()
              .writeValueAsString(
                  Map.of(
                      "keys",
                      List.of(
                          Map.of(
                              "name",
                              "ci",
                              "format",
                              "cms",
                              "key",
                              Files.readString(folder.resolve("cert.pem"))))));
      assertThat(
              operator
                  .json(
                      "PUT",
                      api("signed") + "/release-keys",
                      "{\"keys\": [{\"name\": \"x\", \"format\": \"cms\", \"key\": \"x\"}]}")
                  .statusCode())
          .isEqualTo(400);
      assertThat(operator.json("PUT", api("signed") + "/release-keys", body).statusCode())
          .isEqualTo(200);
      HttpResponse<String> unsigned =
          operator.json("PUT", channel, "{\"release\": \"1.0\"}", "If-Match", "*");
      assertThat(unsigned.statusCode()).isEqualTo(409);
      assertThat(unsigned.body()).contains("Not signed", "signed/1.0/a");
      Files.write(folder.resolve("image"), Bytes.random(10, 1));
      assertThat(
              attach(operator, artifacts("signed") + "1.0/a", "kind=signature", sign(shell))
                  .statusCode())
          .isEqualTo(201);
      assertThat(
              operator.json("PUT", channel, "{\"release\": \"1.0\"}", "If-Match", "*").statusCode())
          .isEqualTo(409);
      Files.write(folder.resolve("image"), BYTES);
      HttpResponse<String> signed =
          attach(operator, artifacts("signed") + "1.0/a", "kind=signature", sign(shell));
      assertThat(json(signed).get("verifiedBy").asString()).isEqualTo("ci");
      assertThat(json(operator.get(artifacts("signed") + "1.0/a/attachments")).toString())
          .contains("\"verified\":false", "\"verified\":true");
      assertThat(
              operator.json("PUT", channel, "{\"release\": \"1.0\"}", "If-Match", "*").statusCode())
          .isEqualTo(200);
      // Neither going back to what is not signed, nor changing what was looked at.
      assertThat(operator.json("POST", channel + "/rollback", "{}").statusCode()).isEqualTo(409);
      List<HttpRequest> attacks =
          List.of(
              request(server, artifacts("signed") + "1.0/b", publisher)
                  .PUT(BodyPublishers.ofByteArray(BYTES))
                  .build(),
              request(server, artifacts("signed") + "1.0/gone/undelete", publisher)
                  .POST(BodyPublishers.noBody())
                  .build(),
              request(server, json(signed).get("self").asString(), publisher).DELETE().build(),
              request(server, artifacts("signed") + "1.0/a", publisher).DELETE().build());
      for (HttpRequest attack : attacks) {
        HttpResponse<String> answer = client.send(attack, BodyHandlers.ofString());
        assertThat(answer.statusCode()).as("%s %s", attack, answer.body()).isEqualTo(409);
        assertThat(answer.body()).contains("Released");
      }
      assertThat(operator.put("signed", "1.0/a", BYTES).statusCode()).isEqualTo(200);
      assertThat(operator.put("signed", "1.2/a", BYTES).statusCode()).isEqualTo(201);
      assertThat(operator.download("/artifacts/signed/@stable/b").statusCode()).isEqualTo(404);
    }
  }

  private String sign(Client shell) throws Exception {
    shell.succeeds(
        "openssl",
        "cms",
        "-sign",
        "-binary",
        "-in",
        "image",
        "-signer",
        "cert.pem",
        "-inkey",
        "key.pem",
        "-outform",
        "PEM",
        "-out",
        "signature");
    return Files.readString(folder.resolve("signature"));
  }

  @Test
  void devicesThatHaveWhatAVexCallsAffectedAreFound(PackagedServer server) throws Exception {
    try (Operator operator = new Operator(server);
        HttpClient client = HttpClient.newHttpClient()) {
      repository(operator, "vexed");
      operator.put("vexed", "1.0/fw", BYTES);
      operator.put("vexed", "1.1/fw", Bytes.random(50_000, 4712));
      String vex =
          """
          { "@context": "https://openvex.dev/ns/v0.2.0", "statements": [
            { "vulnerability": { "name": "CVE-2026-1" }, "status": "affected" } ] }
          """;
      HttpResponse<String> attached =
          attach(operator, artifacts("vexed") + "1.0/fw", "kind=vex", vex);
      assertThat(attached.statusCode()).as(attached.body()).isEqualTo(201);
      String question =
          "/api/v1/progress/affected?repository=vexed&vex="
              + json(attached).get("sha256").asString();
      for (String device : List.of("old", "new")) {
        client.send(
            HttpRequest.newBuilder(server.uri("/artifacts/vexed/1.0/fw"))
                .header("RAUC-Serial", device)
                .build(),
            BodyHandlers.discarding());
      }
      Eventually.eventuallyPasses(
          "Both have it",
          () -> assertThat(operator.get(question).body()).contains("\"old\"", "\"new\""));
      client.send(
          HttpRequest.newBuilder(server.uri("/artifacts/vexed/1.1/fw"))
              .header("RAUC-Serial", "new")
              .build(),
          BodyHandlers.discarding());
      Eventually.eventuallyPasses(
          "One has another now",
          () -> {
            JsonNode found = json(operator.get(question + "&vulnerability=CVE-2026-1"));
            assertThat(found).hasSize(1);
            assertThat(found.get(0).get("device").asString()).isEqualTo("old");
            assertThat(found.get(0).get("path").asString()).isEqualTo("1.0/fw");
          });
      assertThat(operator.get(question + "&vulnerability=CVE-0").body()).isEqualTo("[]");
      assertThat(operator.get(question + "&limit=0").statusCode()).isEqualTo(400);
      assertThat(
              operator
                  .get("/api/v1/progress/affected?repository=vexed&vex=" + "0".repeat(64))
                  .statusCode())
          .isEqualTo(404);
      assertThat(operator.get("/api/v1/progress/affected?repository=vexed&vex=x").statusCode())
          .isEqualTo(400);
    }
  }
}
