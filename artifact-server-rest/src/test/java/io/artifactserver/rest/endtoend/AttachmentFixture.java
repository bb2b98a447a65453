package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Artifacts with attachments on the packaged server. */
abstract class AttachmentFixture {
  static final byte[] BYTES = Bytes.random(70_000, 4711);

  static String api(String repository) {
    return "/api/v1/repositories/" + repository;
  }

  static String artifacts(String repository) {
    return api(repository) + "/artifacts/";
  }

  static JsonNode json(HttpResponse<String> response) {
    return JsonMapper.shared().readTree(response.body());
  }

  static void repository(Operator operator, String name) throws Exception {
    assertThat(operator.createMutableRepository(name).statusCode()).isEqualTo(201);
  }

  static HttpResponse<String> attach(Operator operator, String artifact, String query, String body)
      throws Exception {
    return operator.json("POST", artifact + "/attachments?" + query, body);
  }

  static String sha256(Operator operator, String list) throws IOException, InterruptedException {
    return json(operator.get(list)).get("attachments").get(0).get("sha256").asString();
  }

  static String token(Operator operator, String role, String repository, String more)
      throws IOException, InterruptedException {
    return json(operator.json(
            "POST",
            "/api/v1/tokens",
            "{\"name\":\"%s\",\"role\":\"%s\",\"repositories\":[\"%s\"]%s}"
                .formatted(role, role, repository, more)))
        .get("token")
        .asString();
  }

  static HttpRequest.Builder request(PackagedServer server, String path, @Nullable String token) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.uri(path)).version(HttpClient.Version.HTTP_1_1);
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return request;
  }
}
