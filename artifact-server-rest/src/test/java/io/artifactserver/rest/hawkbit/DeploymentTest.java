package io.artifactserver.rest.hawkbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.rest.hawkbit.Deployment.Download;
import io.artifactserver.rest.hawkbit.Deployment.UnreadableException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Which links agents get for what an operator writes into hawkBit's configuration. */
class DeploymentTest {
  private static final byte[] CONTENT = {1, 2, 3};
  private static final String PROTOCOLS = "hawkbit.artifact.url.protocols.";
  private static final String OURS =
      "https://FW/{tenant}/controller/v1/{controllerId}/softwaremodules/{softwareModuleId}"
          + "/artifacts/{artifactFileName}";

  private final HttpClient client = HttpClient.newHttpClient();
  private final FakeHawkbit hawkbit;

  DeploymentTest() throws Exception {
    this.hawkbit = new FakeHawkbit();
  }

  @BeforeEach
  void assign() {
    hawkbit.device("device", "secret");
    hawkbit.assign("device", "7");
    hawkbit.action("device", "3");
    hawkbit.artifact("7", "fw 1.img", CONTENT);
  }

  @AfterEach
  void close() {
    client.close();
    hawkbit.close();
  }

  @Test
  void hawkbitsOwnLinkLeadsToIt() throws Exception {
    Deployment deployment = Deployment.read(document());
    assertThat(deployment.action()).isEqualTo("3");
    assertThat(deployment.downloads())
        .containsExactly(
            new Download(
                "fw 1.img",
                3,
                sha1(),
                URI.create(
                    hawkbit.url()
                        + "/DEFAULT/controller/v1/device/softwaremodules/7/artifacts/fw+1.img")));
  }

  @Test
  void oneLineReplacesItAndTheMd5Link() throws Exception {
    hawkbit.property(PROTOCOLS + "download-http.ref", OURS);
    String link = "https://FW/DEFAULT/controller/v1/device/softwaremodules/7/artifacts/fw+1.img";
    String document = document();
    assertThat(Deployment.read(document).downloads())
        .extracting(Download::link)
        .containsExactly(URI.create(link));
    assertThat(links(document).path("md5sum-http").path("href").asString())
        .isEqualTo(link + ".MD5SUM");
  }

  /** The link whose relation is hawkBit's default. */
  @Test
  void anotherProtocolMakesAListThatNoAgentReads() throws Exception {
    hawkbit.property(PROTOCOLS + "artifact-server.ref", OURS);
    String document = document();
    assertThat(links(document).path("download-http").isArray()).isTrue();
    assertThatExceptionOfType(UnreadableException.class)
        .isThrownBy(() -> Deployment.read(document))
        .withMessageContaining("no _links.download");
  }

  @Test
  void anotherProtocolOfTheSecureRelationIsTaken() throws Exception {
    hawkbit.property(
        PROTOCOLS + "artifact-server.ref", "https://FW/{tenant}/sha1/{artifactSHA1}/x");
    hawkbit.property(PROTOCOLS + "artifact-server.rel", "download");
    assertThat(Deployment.read(document()).downloads())
        .extracting(Download::link)
        .containsExactly(URI.create("https://FW/DEFAULT/sha1/" + sha1() + "/x"));
  }

  @Test
  void documentIsTheDevicesAlone() throws Exception {
    hawkbit.device("other", "another");
    assertThat(get("device/deploymentBase/3", "another").statusCode()).isEqualTo(401);
    assertThat(get("other/deploymentBase/3", "another").statusCode()).isEqualTo(404);
    assertThat(get("device/deploymentBase/4", "secret").statusCode()).isEqualTo(404);
  }

  /** Follows the links from the device's own resource, as agents do. */
  private String document() throws Exception {
    JsonNode root =
        JsonMapper.builder().build().readTree(get("device", "secret").body()).path("_links");
    String link = root.path("deploymentBase").path("href").asString();
    assertThat(link).startsWith(hawkbit.url());
    return get(link.substring(link.indexOf("/v1/") + 4), "secret").body();
  }

  private HttpResponse<String> get(String path, String token) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create(hawkbit.url() + "/DEFAULT/controller/v1/" + path))
            .header("Authorization", "TargetToken " + token)
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static JsonNode links(String document) {
    return JsonMapper.builder()
        .build()
        .readTree(document)
        .at("/deployment/chunks/0/artifacts/0/_links");
  }

  private static String sha1() {
    DigestAlgorithm algorithm = DigestAlgorithm.SHA_1;
    return Digest.of(algorithm, algorithm.newMessageDigest().digest(CONTENT)).hex();
  }
}
