package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.http.RequestPath;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** People who sign in to the console with tokens, and those who try to get in without. */
@Transports(
    value = {Transport.HTTP1, Transport.H2},
    nightly = {Transport.H2C, Transport.TLS12, Transport.TLS13})
class ConsoleSignInIT extends EachTransport {
  private static final String PAGE = "/console/repositories";
  private static final String CHANGE_FIELD = "X-CSRF-Token";

  @Test
  void theFrontDoorIsAPageForPeopleAndATextForPrograms() throws Exception {
    try (Browser browser = browser()) {
      HttpResponse<String> door = browser.get("/");
      assertThat(door.statusCode()).isEqualTo(302);
      assertThat(door.headers().firstValue("Location").orElseThrow()).endsWith("/console/");
      assertThat(door.headers().firstValue("Vary")).hasValue("Accept");
      HttpResponse<String> first = browser.get("/console/");
      assertThat(first.statusCode()).isEqualTo(303);
      String signIn = first.headers().firstValue("Location").orElseThrow();
      assertThat(signIn).endsWith("/login?next=%2Fconsole%2F");
      HttpResponse<String> form = browser.get("/login?next=%2Fconsole%2F");
      assertThat(form.statusCode()).isEqualTo(200);
      assertThat(form.body()).contains("name=\"token\"", "Keeps artifacts and serves them");
      HttpResponse<String> text = browser.send("GET", "/", "", "Accept", "*/*");
      assertThat(text.statusCode()).isEqualTo(200);
      assertThat(text.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/plain");
      assertThat(text.body()).contains("/artifacts/").hasSizeLessThan(400);
    }
  }

  @Test
  void aTokenOpensTheConsole() throws Exception {
    try (Browser browser = browser()) {
      HttpResponse<String> answer = browser.signIn(server.operatorToken());
      assertThat(answer.statusCode()).isEqualTo(303);
      String cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
      assertThat(cookie).contains("HttpOnly", "SameSite=Strict", "Path=/");
      assertThat(cookie.startsWith("__Host-") && cookie.contains("; Secure"))
          .isEqualTo(transport.isSecured());
      assertThat(cookie).doesNotContain(server.operatorToken());
      HttpResponse<String> page = browser.get(PAGE);
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.body()).contains("<nav", "secret", "Sign out");
      assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
          .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
          .doesNotContain("unsafe");
      assertThat(page.headers().firstValue("Cache-Control")).hasValue("no-store");
      assertThat(page.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
    }
  }

  @Test
  void eachRoleSeesWhatItMay() throws Exception {
    try (Browser device = browser();
        Browser reader = browser();
        Browser publisher = browser()) {
      HttpResponse<String> refused = device.signIn(token("device", "secret"));
      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(refused.headers().firstValue("Set-Cookie")).isEmpty();
      assertThat(reader.signIn(token("reader", "secret")).statusCode()).isEqualTo(303);
      assertThat(reader.get(PAGE).body())
          .contains("repository?name=secret")
          .doesNotContain("repository?name=public", "Create a repository", "/console/tokens");
      assertThat(reader.get("/console/repository?name=public").statusCode()).isEqualTo(403);
      assertThat(reader.get("/console/artifact?repository=public&path=table.bin").statusCode())
          .isEqualTo(403);
      assertThat(reader.get("/console/download?repository=public&path=table.bin").statusCode())
          .isEqualTo(403);
      String artifact = "/console/artifact?repository=secret&path=table.bin";
      assertThat(reader.get(artifact).body()).contains("SHA-256").doesNotContain("data-confirm");
      HttpResponse<String> closed = reader.get("/console/nothing");
      assertThat(closed.statusCode()).isEqualTo(403);
      assertThat(closed.body()).contains("<nav", "role admin");
      assertThat(publisher.signIn(token("publisher", "secret")).statusCode()).isEqualTo(303);
      assertThat(publisher.get(artifact).body()).contains("Delete this artifact");
    }
  }

  /** Whoever changes an address by hand gets a page that says so. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "repositories",
        "repository?name=public",
        "artifact?repository=public&path=table.bin",
        "rollout?repository=public&path=table.bin",
        "device?repository=public&path=table.bin",
        "channels?repository=public",
        "channel?repository=public&name=stable",
        "channel/rollout?repository=public&name=stable",
        "retention?name=public",
        "retention?repository=public",
        "deleted?name=public",
        "deleted?repository=public",
        "attachment?repository=public&path=table.bin",
        "qr",
        "storage",
        "jobs",
        "tokens",
        "limits",
        "audit",
        "keys",
        "doctor",
        "download?repository=public&path=table.bin"
      })
  void noValueInAnAddressIsAFailureOfTheServer(String page) throws Exception {
    try (Browser browser = browser()) {
      browser.signIn(server.operatorToken());
      for (String name :
          List.of(
              "after",
              "before",
              "id",
              "name",
              "path",
              "prefix",
              "preview",
              "repository",
              "run",
              "sha256",
              "since",
              "text",
              "token")) {
        for (String value : List.of("x", "99999999999999999999", "%00")) {
          String address =
              "/console/%s%s%s=%s".formatted(page, page.contains("?") ? '&' : '?', name, value);
          HttpResponse<String> answer = browser.get(address);
          assertThat(answer.statusCode()).as(address).isBetween(200, 499);
        }
      }
    }
  }

  /** A link that is good for a moment, so that the browser downloads like a device. */
  @Test
  void aReaderDownloads() throws Exception {
    try (Browser reader = browser();
        Operator operator = server.operator()) {
      reader.signIn(token("reader", "secret"));
      HttpResponse<String> link = reader.get("/console/download?repository=secret&path=table.bin");
      assertThat(link.statusCode()).isEqualTo(303);
      String address = link.headers().firstValue("Location").orElseThrow();
      address = address.substring(address.indexOf("/artifacts/"));
      assertThat(operator.downloadAsNobody(address).body()).isEqualTo(SharedServer.TABLE);
    }
  }

  @Test
  void aCookieAloneChangesNothing() throws Exception {
    try (Browser browser = browser();
        Browser other = browser()) {
      browser.signIn(server.operatorToken());
      other.signIn(server.operatorToken());
      String body = "{\"name\": \"by-cookie\"}";
      for (String[] fields :
          List.of(
              new String[] {"Content-Type", "application/json"},
              new String[] {"Content-Type", "application/json", CHANGE_FIELD, ""},
              new String[] {
                "Content-Type", "application/json", CHANGE_FIELD, other.changeToken()
              })) {
        assertThat(browser.send("POST", "/api/v1/repositories", body, fields).statusCode())
            .isEqualTo(401);
      }
      // Not even what only reads: pages have addresses of their own.
      assertThat(browser.get("/api/v1/tokens").statusCode()).isEqualTo(401);
      assertThat(browser.get("/artifacts/secret/table.bin").statusCode()).isEqualTo(401);
      assertThat(browser.get("/actuator/prometheus").statusCode()).isEqualTo(401);
      assertThat(browser.post("/console/sign-out", "").statusCode()).isEqualTo(401);
      assertThat(browser.get(PAGE).statusCode()).isEqualTo(200);
      assertThat(
              browser
                  .send("GET", "/api/v1/tokens", "", CHANGE_FIELD, browser.changeToken())
                  .statusCode())
          .isEqualTo(200);
    }
  }

  /** A change made by a page is in the audit, as if a program had made it. */
  @Test
  void aPageChangesWithItsToken() throws Exception {
    try (Browser browser = browser();
        Operator operator = server.operator()) {
      browser.signIn(server.operatorToken());
      String name = "made-by-page-" + transport.name().toLowerCase(Locale.ROOT);
      HttpResponse<String> made =
          browser.send(
              "POST",
              "/api/v1/repositories",
              "{\"name\": \"%s\", \"encrypted\": false}".formatted(name),
              "Content-Type",
              "application/json",
              CHANGE_FIELD,
              browser.changeToken());
      assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
      assertThat(operator.audit()).anyMatch(entry -> entry.contains(name));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cross-site", "same-site"})
  void anotherSiteSignsNobodyInOrOut(String site) throws Exception {
    try (Browser browser = browser()) {
      HttpResponse<String> refused =
          browser.send(
              "POST",
              "/login",
              "token=" + server.operatorToken(),
              "Content-Type",
              "application/x-www-form-urlencoded",
              "Sec-Fetch-Site",
              site);
      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(browser.cookies()).isEmpty();
    }
  }

  /** A cookie that an attacker planted before is not the one that counts after. */
  @Test
  void aSessionThatWasPlantedIsNotTaken() throws Exception {
    try (Browser browser = browser();
        Browser attacker = browser()) {
      attacker.signIn(token("reader", "secret"));
      String name = attacker.cookies().keySet().iterator().next();
      String planted = attacker.cookies().get(name);
      browser.cookies().put(name, planted);
      browser.signIn(server.operatorToken());
      assertThat(browser.cookies().get(name)).isNotEqualTo(planted);
      assertThat(attacker.get(PAGE).body()).doesNotContain("Create a repository");
      browser.cookies().put(name, "invented");
      assertThat(browser.get(PAGE).statusCode()).isEqualTo(303);
    }
  }

  @Test
  void aSessionEndsWithItsToken() throws Exception {
    try (Browser browser = browser();
        Operator operator = server.operator()) {
      JsonNode made = made("reader", "secret");
      browser.signIn(made.get("token").asString());
      assertThat(browser.get(PAGE).statusCode()).isEqualTo(200);
      operator.delete("/api/v1/tokens/" + made.get("id").asString());
      HttpResponse<String> page = browser.get(PAGE);
      assertThat(page.statusCode()).isEqualTo(303);
      assertThat(page.headers().firstValue("Location").orElseThrow()).contains("/login?next=");
      HttpResponse<String> fragment = browser.send("GET", PAGE, "", "HX-Request", "true");
      assertThat(fragment.statusCode()).isEqualTo(401);
      assertThat(fragment.headers().firstValue("HX-Redirect").orElseThrow()).startsWith("/login");
    }
  }

  @Test
  void whoSignsOutIsOut() throws Exception {
    try (Browser browser = browser();
        Browser thief = browser()) {
      browser.signIn(server.operatorToken());
      thief.cookies().putAll(browser.cookies());
      assertThat(thief.get(PAGE).statusCode()).isEqualTo(200);
      HttpResponse<String> out =
          browser.send("POST", "/console/sign-out", "", CHANGE_FIELD, browser.changeToken());
      assertThat(out.statusCode()).isEqualTo(204);
      assertThat(browser.cookies()).isEmpty();
      assertThat(thief.get(PAGE).statusCode()).isEqualTo(303);
    }
  }

  @Test
  void noNextPageLeadsElsewhere() throws Exception {
    for (String next :
        List.of(
            "https://elsewhere.example.com/",
            "//elsewhere.example.com/",
            "/login",
            "/console/%0d%0aSet-Cookie:a=b",
            "/console/\\elsewhere.example.com")) {
      try (Browser browser = browser()) {
        HttpResponse<String> answer =
            browser.post(
                "/login",
                "token="
                    + server.operatorToken()
                    + "&next="
                    + URLEncoder.encode(next, StandardCharsets.UTF_8));
        assertThat(answer.statusCode()).isEqualTo(303);
        assertThat(answer.headers().firstValue("Location").orElseThrow())
            .as(next)
            .matches("(https?://localhost:\\d+)?/console/|/console/%.*");
      }
    }
  }

  @Test
  void wrongTokensAreToldSo() throws Exception {
    try (Browser browser = browser()) {
      assertThat(browser.signIn("").statusCode()).isEqualTo(400);
      assertThat(browser.signIn("x".repeat(9000)).statusCode()).isEqualTo(400);
      HttpResponse<String> wrong = browser.signIn("<script>alert(1)</script>");
      assertThat(wrong.statusCode()).isEqualTo(401);
      assertThat(wrong.body()).contains("does not know this token").doesNotContain("alert(1)");
      assertThat(browser.cookies()).isEmpty();
      assertThat(browser.post("/login", "token=" + "x".repeat(70_000)).statusCode()).isEqualTo(413);
    }
  }

  @Test
  void assetsAreKeptForEver() throws Exception {
    try (Browser browser = browser()) {
      String page = browser.get("/login").body();
      String style = page.replaceAll("(?s).*rel=\"stylesheet\" href=\"([^\"]+)\".*", "$1");
      HttpResponse<String> asset = browser.get(style);
      assertThat(asset.statusCode()).isEqualTo(200);
      assertThat(asset.headers().firstValue("Cache-Control").orElseThrow()).contains("immutable");
      assertThat(asset.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/css");
      assertThat(browser.get(style.replaceAll("[0-9a-f]{16}", "0123456789abcdef")).statusCode())
          .isEqualTo(401);
    }
  }

  /** Names are text, whatever they look like. */
  @Test
  void hostileNamesAreText() throws Exception {
    String path = "<img src=x onerror=alert(1)>\"'&\u202egpj.exe" + "x".repeat(800);
    String name = "</bdi><script>alert(1)</script>\u202e";
    try (Browser browser = browser();
        Operator operator = server.operator()) {
      assertThat(operator.put("secret", RequestPath.encode(path), new byte[10]).statusCode())
          .isIn(200, 201);
      String token =
          JsonMapper.shared()
              .readTree(
                  operator
                      .json(
                          "POST",
                          "/api/v1/tokens",
                          JsonMapper.shared()
                              .writeValueAsString(Map.of("name", name, "role", "reader")))
                      .body())
              .get("token")
              .asString();
      browser.signIn(token);
      String list = browser.get("/console/repository?name=secret").body();
      assertThat(list)
          .contains("&lt;img src=x onerror=alert(1)&gt;", "&lt;script&gt;")
          .doesNotContain("<img src=x", "<script>alert");
    }
  }

  private Browser browser() {
    return new Browser(server, server.httpClient());
  }

  private String token(String role, String repository) throws IOException, InterruptedException {
    return made(role, repository).get("token").asString();
  }

  private JsonNode made(String role, String repository) throws IOException, InterruptedException {
    try (Operator operator = server.operator()) {
      return JsonMapper.shared()
          .readTree(
              operator
                  .json(
                      "POST",
                      "/api/v1/tokens",
                      "{\"name\": \"console\", \"role\": \"%s\", \"repositories\": [\"%s\"]}"
                          .formatted(role, repository))
                  .body());
    }
  }
}
