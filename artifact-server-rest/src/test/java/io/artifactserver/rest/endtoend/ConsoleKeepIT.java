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
        "{\"until\":\"%s\",\"reason\":\"<i>recall</i>\"}".formatted(Instant.now().plusSeconds(60));
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
    assertThat(admin.get(page).body()).contains("Hold it for longer");
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
