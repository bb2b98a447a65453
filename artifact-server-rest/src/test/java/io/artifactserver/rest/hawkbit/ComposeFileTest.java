package io.artifactserver.rest.hawkbit;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.hawkbit.Deployment.Download;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.groups.Tuple;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.YamlMapFactoryBean;
import org.springframework.core.io.FileSystemResource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The profile {@code hawkbit} of docker-compose.yml, as far as a parser can tell. */
class ComposeFileTest {
  private static final Path PROJECT = Path.of("..");
  private static final String ARTIFACTS = "hawkbit-artifacts";

  private final Map<String, Object> services = map(read().get("services"));

  @Test
  void plainStackHasNoHawkbit() {
    assertThat(services.keySet())
        .filteredOn(name -> !service(name).containsKey("profiles"))
        .containsExactlyInAnyOrder("server", "db", "database-secret");
    assertThat(service("hawkbit")).containsEntry("profiles", List.of("hawkbit"));
    assertThat(environment("server"))
        .containsEntry("ARTIFACTSERVER_HAWKBIT_URL", "${HAWKBIT_URL:-}")
        .containsEntry("ARTIFACTSERVER_HAWKBIT_ARTIFACTS", "${HAWKBIT_ARTIFACTS:-}");
  }

  /** Docker's default is noexec: Zstandard would not run, and no update form be made. */
  @Test
  void nativeCodeRunsInTheServersTemporaryFolder() {
    assertThat(service("server").get("tmpfs")).isEqualTo(List.of("/tmp:size=64m,exec"));
  }

  @Test
  void imageIsOfAFixedVersion() {
    assertThat(String.valueOf(service("hawkbit").get("image")))
        .matches("hawkbit/hawkbit-update-server:[$][{]HAWKBIT_VERSION:-\\d+[.]\\d+[.]\\d+}");
  }

  /** hawkBit writes for its own user only: mode 0600. */
  @Test
  void bothServersAreOneUserWhoOwnsTheVolume() throws IOException {
    String user = String.valueOf(service("hawkbit").get("user"));
    assertThat(Files.readAllLines(PROJECT.resolve("Dockerfile"))).contains("USER " + user);
    assertThat(service("server")).doesNotContainKey("user");
    assertThat(service("hawkbit-folders"))
        .containsEntry("entrypoint", List.of("chown", user, "/artifacts", "/database"));
    assertThat(service("hawkbit").get("depends_on"))
        .isEqualTo(
            Map.of("hawkbit-folders", Map.of("condition", "service_completed_successfully")));
    assertThat(volumes("hawkbit-folders"))
        .extracting(volume -> map(volume).get("source"), volume -> map(volume).get("target"))
        .contains(Tuple.tuple(ARTIFACTS, "/artifacts"));
  }

  @Test
  void serverHasHawkbitsFolderReadOnly() {
    assertThat(volumes("server")).contains(ARTIFACTS + ":/artifactrepo:ro");
    assertThat(volumes("hawkbit"))
        .extracting(volume -> map(volume).get("source"), volume -> map(volume).get("target"))
        .contains(Tuple.tuple(ARTIFACTS, "/app/artifactrepo"));
    assertThat(map(read().get("volumes"))).containsKeys(ARTIFACTS, "hawkbit-database");
  }

  /** The settings for hawkBit make links that agents read, and that lead to the server. */
  @Test
  void hawkbitsLinksLeadToTheServer() throws Exception {
    JsonNode settings =
        JsonMapper.builder()
            .build()
            .readTree(String.valueOf(environment("hawkbit").get("SPRING_APPLICATION_JSON")));
    String property = "hawkbit.artifact.url.protocols.download-http.ref";
    ArtifactLinks links = new ArtifactLinks();
    links.property(
        property,
        settings
            .path(property)
            .asString()
            .replace("${DOWNLOAD_URL:-http://localhost:8080}", "http://fw"));
    Map<String, Object> artifact =
        Map.of(
            "filename",
            "a b",
            "size",
            1,
            "hashes",
            Map.of("sha1", "0"),
            "_links",
            links.of("hawkbit:8080", "DEFAULT", "device", "7", "a b", "0"));
    String document =
        JsonMapper.builder()
            .build()
            .writeValueAsString(
                Map.of(
                    "id",
                    "3",
                    "deployment",
                    Map.of("chunks", List.of(Map.of("artifacts", List.of(artifact))))));
    assertThat(Deployment.read(document).downloads())
        .extracting(Download::link)
        .containsExactly(
            URI.create("http://fw/DEFAULT/controller/v1/device/softwaremodules/7/artifacts/a+b"));
    assertThat(
            settings
                .path("hawkbit.server.ddi.security.authentication.targettoken.enabled")
                .asBoolean())
        .isTrue();
  }

  private Map<String, Object> service(String name) {
    return map(services.get(name));
  }

  private Map<String, Object> environment(String service) {
    return map(service(service).get("environment"));
  }

  private List<Object> volumes(String service) {
    return List.copyOf((List<?>) Objects.requireNonNull(service(service).get("volumes")));
  }

  private static Map<String, Object> read() {
    YamlMapFactoryBean yaml = new YamlMapFactoryBean();
    yaml.setResources(new FileSystemResource(PROJECT.resolve("docker-compose.yml")));
    return Objects.requireNonNull(yaml.getObject());
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(@Nullable Object value) {
    return (Map<String, Object>) Objects.requireNonNull(value);
  }
}
