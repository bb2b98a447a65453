package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.json.JsonMapper;

/**
 * Channels, holds, retention and deletions in the console: each role sees and does what the API
 * lets it.
 */
@ExtendWith(SharedServer.class)
class ConsoleKeepIT {
  private final String repository = "kept-" + UUID.randomUUID();
  private final String api = "/api/v1/repositories/" + repository;
  private final String channel = "/console/channel?repository=%s&name=stable".formatted(repository);
  private final String all = "\"repositories\":[\"%s\"]".formatted(repository);
  private final HttpClient client = HttpClient.newHttpClient();
  private PackagedServer server;
  private Operator operator;

  @BeforeEach
  void prepare(PackagedServer shared) throws Exception {
    server = shared;
    operator = new Operator(server);
    operator.createRepository(repository, false);
    for (String path : List.of("a/1.0/fw", "a/1.1/fw", "b/1.0/fw")) {
      operator.put(repository, path, Bytes.random(1000, path.hashCode()));
    }
  }

  @AfterEach
  void close() {
    operator.close();
    client.close();
  }

  @Test
  void aChannelIsSwitchedByThoseWhoMayAndAsTheySawIt() throws Exception {
    for (String release : List.of("a/1.0", "a/1.1")) {
      HttpResponse<String> switched =
          operator.json(
              "PUT",
              api + "/channels/stable",
              "{\"release\":\"%s\",\"comment\":\"<b>%s</b>\"}".formatted(release, release),
              release.equals("a/1.0") ? "If-None-Match" : "If-Match",
              "*");
      assertThat(switched.statusCode()).as(switched.body()).isEqualTo(200);
    }
    Browser reader = signedIn("reader", all);
    assertThat(reader.get("/console/channels?repository=" + repository).body())
        .contains(">stable<", "a/1.1")
        .doesNotContain("Make a channel");
    assertThat(reader.get(channel).body())
        .contains("a/1.0", "&lt;b&gt;a/1.1&lt;/b&gt;")
        .doesNotContain("<b>", "data-call");
    // It may read the release, and the channel is another's.
    Browser uploader = signedIn("publisher", all + ",\"paths\":[\"a\"]");
    assertThat(uploader.get(channel).body()).contains("a/1.1").doesNotContain("data-call");
    Browser stranger = signedIn("publisher", all + ",\"paths\":[\"b\"]");
    assertThat(stranger.get("/console/channels?repository=" + repository).body())
        .doesNotContain(">stable<");
    assertThat(stranger.get(channel).statusCode()).isEqualTo(403);
    assertThat(signedIn("publisher", "\"repositories\":[\"secret\"]").get(channel).statusCode())
        .isEqualTo(403);

    Browser publisher = signedIn("publisher", all);
    String page = publisher.get(channel).body();
    assertThat(page).contains("Switch the channel", "data-if-match=\"&#34;2&#34;\"", "Roll back");
    for (Browser refused : List.of(reader, uploader, stranger)) {
      assertThat(change(refused, "POST", "/channels/stable/rollback", "{}").statusCode())
          .isEqualTo(403);
    }
    assertThat(change(publisher, "POST", "/channels/stable/rollback", "{}").statusCode())
        .isEqualTo(200);
    String seen = "{\"release\":\"b/1.0\"}";
    assertThat(change(publisher, "PUT", "/channels/stable", seen, "If-Match", "\"2\"").statusCode())
        .as("as the page showed it before the rollback")
        .isEqualTo(412);
    page = publisher.get(channel).body();
    assertThat(page).contains("data-if-match=\"&#34;3&#34;\"", "back to change 1");
    assertThat(
            change(publisher, "DELETE", "/channels/stable", "", "If-Match", "\"3\"").statusCode())
        .isEqualTo(204);
    assertThat(publisher.get(channel).body())
        .contains("was deleted", "data-if-none-match=\"*\"")
        .doesNotContain("Roll back");
    HttpResponse<String> none = publisher.get(channel + "-none");
    assertThat(none.statusCode()).isEqualTo(404);
    assertThat(none.body()).contains("No such channel", "<nav");
  }

  @Test
  void aStageIsShownToAllAndChangedByThoseWhoMay() throws Exception {
    operator.json("PUT", api + "/channels/stable", "{\"release\":\"a/1.0\"}");
    Browser publisher = signedIn("publisher", all);
    String kept =
        "\"groups\":{\"callers\":[\"<i>lab-*\"]},\"stop\":{\"percentage\":5,\"atLeast\":2}}";
    String seen = "\"1\"";
    String staged = "{\"release\":\"a/1.1\",\"percentage\":10," + kept;
    assertThat(change(publisher, "PUT", "/channels/stable", staged, "If-Match", seen).statusCode())
        .isEqualTo(200);
    String page = publisher.get(channel).body();
    assertThat(page)
        .contains(
            "10 % of its groups", "Goes on", "&lt;i&gt;lab-*", "Set the percentage", ">Pause<")
        .contains("more than 5 %", "at least 2", "to <bdi>a/1.0</bdi>")
        .doesNotContain("<i>lab", ">Resume<", "How far devices are");
    Browser reader = signedIn("reader", all);
    assertThat(reader.get(channel).body())
        .contains("10 % of", "at least 2")
        .doesNotContain("lab-*", "data-call");
    Browser uploader = signedIn("publisher", all + ",\"paths\":[\"a\"]");
    assertThat(uploader.get(channel).body()).contains("10 % of").doesNotContain("data-call");
    for (Browser refused : List.of(reader, uploader)) {
      for (String step : List.of("pause", "resume", "rollback")) {
        assertThat(change(refused, "POST", "/channels/stable/" + step, "{}").statusCode())
            .isEqualTo(403);
      }
    }
    String why = "{\"comment\":\"looks bad\"}";
    assertThat(
            change(publisher, "POST", "/channels/stable/pause", why, "If-Match", "\"2\"")
                .statusCode())
        .isEqualTo(200);
    assertThat(publisher.get(channel).body())
        .contains("Paused", "looks bad", "10 % of its groups, paused", ">Resume<")
        .doesNotContain(">Pause<", "Set the percentage");
    Browser admin = new Browser(server, client);
    admin.signIn(server.operatorToken());
    String rollout = "/console/rollout?repository=%s&path=".formatted(repository);
    assertThat(admin.get(channel).body()).contains("/console/channel/rollout?");
    String far = channel.replace("/channel?", "/channel/rollout?");
    assertThat(admin.get(far).body())
        .contains("path=a%2F1.1%2Ffw", "0 devices have all of it")
        .doesNotContain("path=a%2F1.0%2Ffw");
    for (Browser refused : List.of(reader, publisher)) {
      assertThat(refused.get(far).statusCode()).isEqualTo(403);
    }
    for (String path : List.of("a/1.0/fw", "a/1.1/fw")) {
      assertThat(admin.get(rollout + path).body()).contains("gives <bdi>a/1.1</bdi> to 10 %");
      assertThat(
              reader
                  .get("/console/artifact?repository=%s&path=%s".formatted(repository, path))
                  .body())
          .contains("gives <bdi>a/1.1</bdi> to 10 %");
    }
    assertThat(admin.get(rollout + "b/1.0/fw").body()).doesNotContain("The channel");
  }

  @Test
  void onlyAdminsSeeAndActivateRules() throws Exception {
    String page = "/console/retention?repository=" + repository;
    for (String role : List.of("reader", "publisher")) {
      Browser browser = signedIn(role, all);
      assertThat(browser.get(page).statusCode()).as(role).isEqualTo(403);
      assertThat(browser.get("/console/repository?name=" + repository).body())
          .contains("/console/channels?repository=" + repository)
          .doesNotContain(page);
      assertThat(change(browser, "PUT", "/retention", "{\"rules\":[]}").statusCode())
          .isEqualTo(403);
    }
    Browser admin = new Browser(server, client);
    admin.signIn(server.operatorToken());
    assertThat(admin.get(page).body()).contains("There are no rules").doesNotContain("preview=");
    String rules = "{\"rules\":[{\"folder\":\"a\",\"newest\":1}]}";
    assertThat(change(admin, "PUT", "/retention", rules).statusCode()).isEqualTo(200);
    assertThat(admin.get(page).body())
        .contains("value=\"a\"", "not active", "preview=true")
        .doesNotContain("Activate");
    String revision =
        JsonMapper.shared()
            .readTree(operator.get(api + "/retention/preview").body())
            .get("revision")
            .asString();
    String preview = admin.get(page + "&preview=true").body();
    assertThat(preview)
        .contains("1 artifacts", ">a/1.0/fw<", revision)
        .doesNotContain(">b/1.0/fw<");
    assertThat(
            change(
                    admin,
                    "POST",
                    "/retention/activation",
                    "{\"revision\":\"%s\"}".formatted(revision))
                .statusCode())
        .isEqualTo(200);
    assertThat(admin.get(page + "&preview=true").body())
        .contains("are active")
        .doesNotContain("Activate");
    assertThat(change(admin, "PUT", "/retention", "{\"rules\":[]}").statusCode()).isEqualTo(200);
    assertThat(admin.get("/console/retention?repository=none").statusCode()).isEqualTo(404);
  }

  @Test
  void aDeletionIsTakenBackWithinTheScope() throws Exception {
    String page = "/console/deleted?repository=" + repository;
    for (String path : List.of("a/1.0/fw", "b/1.0/fw")) {
      operator.delete(api + "/artifacts/" + path);
    }
    Browser reader = signedIn("reader", all);
    assertThat(reader.get(page).statusCode()).isEqualTo(403);
    assertThat(reader.get("/console/repository?name=" + repository).body()).doesNotContain(page);
    Browser publisher = signedIn("publisher", all + ",\"paths\":[\"b\"]");
    assertThat(publisher.get(page).body())
        .contains(">b/1.0/fw<", "Take the deletion back")
        .doesNotContain("a/1.0");
    String undelete = "/artifacts/b/1.0/fw/undelete";
    assertThat(change(reader, "POST", undelete, "").statusCode()).isEqualTo(403);
    assertThat(change(publisher, "POST", "/artifacts/a/1.0/fw/undelete", "").statusCode())
        .isEqualTo(403);
    assertThat(change(publisher, "POST", undelete, "").statusCode()).isEqualTo(201);
    assertThat(publisher.get(page).body()).contains("is there again");
    assertThat(signedIn("publisher", "\"repositories\":[\"secret\"]").get(page).statusCode())
        .isEqualTo(403);
  }

  @Test
  void aHoldIsShownToAllAndSetByAdmins() throws Exception {
    String page = "/console/artifact?path=a/1.1/fw&repository=" + repository;
    Browser publisher = signedIn("publisher", all);
    assertThat(publisher.get(page).body()).contains("Delete this artifact").doesNotContain("/hold");
    String body =
        "{\"until\":\"%s\",\"reason\":\"<i>recall</i>\"}"
            .formatted(Instant.now().plusSeconds(3_600));
    assertThat(change(publisher, "PUT", "/artifacts/a/1.1/fw/hold", body).statusCode())
        .isEqualTo(403);
    Browser admin = new Browser(server, client);
    admin.signIn(server.operatorToken());
    assertThat(admin.get(page).body())
        .contains("/hold\"", "/support\"")
        .doesNotContain("Held until");
    assertThat(change(admin, "PUT", "/artifacts/a/1.1/fw/hold", body).statusCode()).isEqualTo(200);
    assertThat(publisher.get(page).body())
        .contains("Held until", "&lt;i&gt;recall&lt;/i&gt;")
        .doesNotContain("Delete this artifact");
    assertThat(admin.get(page).body()).contains("Hold it for longer").doesNotContain("Attachments");
  }

  @Test
  void anAttachmentIsSavedAndNeverShownWithinTheScope() throws Exception {
    String page = "/console/artifact?path=a/1.1/fw&repository=" + repository;
    String attach = "/artifacts/a/1.1/fw/attachments?kind=notes&label=by=%3Cb%3Ebob";
    String hostile = "<script>alert(1)</script>";
    Browser publisher = signedIn("publisher", all);
    HttpResponse<String> made =
        publisher.send(
            "POST",
            api + attach,
            hostile,
            "Content-Type",
            "text/html",
            "X-CSRF-Token",
            publisher.changeToken());
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    String self =
        "/console/attachment?path=a/1.1/fw&repository=%s&sha256=%s"
            .formatted(
                repository, JsonMapper.shared().readTree(made.body()).get("sha256").asString());
    for (String scope : List.of(all, all + ",\"paths\":[\"a\"]")) {
      Browser reader = signedIn("reader", scope);
      assertThat(reader.get(page).body())
          .contains("Attachments", "<td>notes</td>", "by=&lt;b&gt;bob", "/console/attachment?");
      HttpResponse<String> saved = reader.get(self);
      assertThat(saved.body()).isEqualTo(hostile);
      assertThat(saved.headers().map())
          .containsEntry("Content-Type", List.of("text/html"))
          .containsEntry("Content-Disposition", List.of("attachment"))
          .containsEntry("Content-Security-Policy", List.of("sandbox"))
          .containsEntry("X-Content-Type-Options", List.of("nosniff"));
    }
    Browser stranger = signedIn("publisher", all + ",\"paths\":[\"b\"]");
    assertThat(stranger.get(page).statusCode()).isEqualTo(403);
    assertThat(stranger.get(self).statusCode()).isEqualTo(403);
    assertThat(new Browser(server, client).get(self).statusCode()).isEqualTo(303);
    assertThat(publisher.get(self + "0").statusCode()).isEqualTo(400);
    assertThat(publisher.get(self.replace("1.1", "1.0")).statusCode()).isEqualTo(404);
  }

  @Test
  void theHistoryOfAnArtifactIsForAdmins() throws Exception {
    String page = "/console/artifact?path=a/1.0/fw&repository=" + repository;
    operator.json("PUT", api + "/channels/stable", "{\"release\":\"a/1.0\",\"comment\":\"<b>go\"}");
    operator.json("PUT", api + "/channels/stable", "{\"release\":\"b/1.0\"}", "If-Match", "*");
    assertThat(operator.delete(api + "/artifacts/a/1.0/fw").statusCode()).isEqualTo(204);
    Browser publisher = signedIn("publisher", all);
    change(publisher, "POST", "/artifacts/a/1.0/fw/undelete", "");
    String hold =
        "{\"until\":\"%s\",\"reason\":\"recall\"}".formatted(Instant.now().plusSeconds(3_600));
    Browser admin = new Browser(server, client);
    admin.signIn(server.operatorToken());
    change(admin, "PUT", "/artifacts/a/1.0/fw/hold", hold);
    String html = admin.get(page).body();
    String history = html.substring(html.indexOf("history-title"));
    assertThat(history)
        .containsSubsequence(
            "Held",
            "recall",
            "until <time datetime",
            "Deletion taken back",
            "keeper",
            "Deleted",
            "Released by",
            "Uploaded")
        .contains("&lt;b&gt;go", "1000 B, SHA-256")
        .doesNotContain("<b>", "b/1.0");
    assertThat(admin.get(page.replace("1.0", "1.1")).body()).doesNotContain("Deletion taken back");
    for (String role : List.of("reader", "publisher")) {
      assertThat(signedIn(role, all).get(page).body())
          .contains("a/1.0/fw")
          .doesNotContain("history-title", "Deletion taken back");
    }
  }

  private Browser signedIn(String role, String scope) throws IOException, InterruptedException {
    String token =
        JsonMapper.shared()
            .readTree(
                operator
                    .json(
                        "POST",
                        "/api/v1/tokens",
                        "{\"name\":\"keeper\",\"role\":\"%s\",%s}".formatted(role, scope))
                    .body())
            .get("token")
            .asString();
    Browser browser = new Browser(server, client);
    assertThat(browser.signIn(token).statusCode()).isEqualTo(303);
    return browser;
  }

  /** As a page's script does it: by the session, with the page's token. */
  private HttpResponse<String> change(
      Browser browser, String method, String path, String body, String... fields)
      throws IOException, InterruptedException {
    String[] sent = new String[fields.length + 4];
    System.arraycopy(fields, 0, sent, 0, fields.length);
    sent[fields.length] = "X-CSRF-Token";
    sent[fields.length + 1] = browser.changeToken();
    sent[fields.length + 2] = "Content-Type";
    sent[fields.length + 3] = "application/json";
    return browser.send(method, api + path, body, sent);
  }
}
