package io.artifactserver.rest.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.artifactserver.rest.app.SettingNames.UnknownSetting;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

class SettingNamesTest {
  private final SettingNames names = new SettingNames();

  SettingNamesTest() {
    names.add("artifact-server.data-dir");
    names.addAll("artifact-server.database", Database.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "artifact-server.data-dir",
        "artifact-server.dataDir",
        "artifactServer.data_dir",
        "artifact-server.database.url",
        "artifact-server.database.poolSize",
        "artifact-server.database.tls.trust-store",
        "artifact-server.database.roles[0]",
        "artifact-server.database.options.any-name",
        "artifact-serverless.url",
        "server.port",
        "spring.application.name"
      })
  void takesEveryFormThatSpringBootReads(String name) {
    assertThat(unknownIn(new MapPropertySource("test", Map.of(name, "x")))).isEmpty();
    assertThat(unknownIn(new SimpleCommandLinePropertySource("--" + name + "=x"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ARTIFACT_SERVER_DATA_DIR",
        "ARTIFACT_SERVER_DATABASE_URL",
        "ARTIFACTSERVER_DATABASE_URL",
        "ARTIFACT_SERVER_DATABASE_POOL_SIZE",
        "ARTIFACTSERVER_DATABASE_POOLSIZE",
        "ARTIFACT_SERVER_DATABASE_TLS_TRUST_STORE",
        "ARTIFACT_SERVER_DATABASE_ROLES_0",
        "ARTIFACT_SERVER_DATABASE_OPTIONS_ANY",
        "ARTIFACT_SERVERS",
        "PATH"
      })
  void takesEnvironmentVariables(String name) {
    assertThat(unknownIn(variables(Map.of(name, "x")))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "artifact-server.databse.url, artifact-server.database.url",
    "artifact-server.database.ulr, artifact-server.database.url",
    "artifact-server.database.url.host, artifact-server.database.url",
    "artifact-server.database.tls, artifact-server.database.roles",
    "artifact-server.database.tls.truststores, artifact-server.database.tls.trust-store",
    "artifactServer.datadri, artifact-server.data-dir"
  })
  void findsATypoAndTheNearestName(String typo, String nearest) {
    assertThat(unknownIn(new SimpleCommandLinePropertySource("--" + typo + "=secret")))
        .containsExactly(
            new UnknownSetting(
                typo,
                "\"%s\" from property source \"commandLineArgs\"".formatted(typo),
                unknown(nearest)));
  }

  @ParameterizedTest
  @CsvSource({
    "ARTIFACT_SERVER_DATABSE_URL, ARTIFACT_SERVER_DATABASE_URL",
    "ARTIFACTSERVER_DATABASEURL, ARTIFACT_SERVER_DATABASE_URL",
    "ARTIFACT_SERVER_DATADIR, ARTIFACT_SERVER_DATA_DIR"
  })
  void findsAVariableThatSpringBootDoesNotRead(String typo, String nearest) {
    MapPropertySource variables = variables(Map.of(typo, "secret"));
    assertThat(unknownIn(variables))
        .containsExactly(
            new UnknownSetting(
                typo,
                "\"%s\" from property source \"systemEnvironment\"".formatted(typo),
                unknown(nearest)));
    // Not read indeed.
    assertThat(bound(variables, "artifact-server.database.url")).isFalse();
    assertThat(bound(variables, "artifact-server.data-dir")).isFalse();
  }

  @Test
  void saysWhereInAFileTheNameStands() throws Exception {
    byte[] yaml = "artifact-server:\n  database:\n    url: x\n    user: y\n".getBytes(UTF_8);
    List<PropertySource<?>> sources =
        new YamlPropertySourceLoader()
            .load("file", new ByteArrayResource(yaml, "application.yaml"));
    assertThat(names.unknownIn(sources))
        .singleElement()
        .satisfies(unknown -> {
          assertThat(unknown.name()).isEqualTo("artifact-server.database.user");
          assertThat(unknown.origin()).contains("application.yaml").contains("4:11");
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"artifact-server.database.kind", "artifactServer.database.Kind"})
  void aRetiredSettingHasARemedyOfItsOwn(String name) {
    names.retire("artifact-server.database.kind", "is no setting any more: remove it.");
    assertThat(unknownIn(new MapPropertySource("test", Map.of(name, "x"))))
        .extracting(UnknownSetting::remedy)
        .containsExactly("is no setting any more: remove it.");
    assertThat(unknownIn(variables(Map.of("ARTIFACTSERVER_DATABASE_KIND", "x"))))
        .extracting(UnknownSetting::remedy)
        .containsExactly("is no setting any more: remove it.");
  }

  @Test
  void leavesTheVariablesOfAKubernetesServiceAlone() {
    Map<String, Object> links = new HashMap<>();
    links.put("ARTIFACT_SERVER_SERVICE_HOST", "10.0.0.1");
    links.put("ARTIFACT_SERVER_SERVICE_PORT", "8080");
    links.put("ARTIFACT_SERVER_SERVICE_PORT_HTTP", "8080");
    links.put("ARTIFACT_SERVER_PORT", "tcp://10.0.0.1:8080");
    links.put("ARTIFACT_SERVER_PORT_8080_TCP", "tcp://10.0.0.1:8080");
    links.put("ARTIFACT_SERVER_PORT_8080_TCP_ADDR", "10.0.0.1");
    assertThat(unknownIn(variables(links))).isEmpty();
    assertThat(unknownIn(variables(Map.of("ARTIFACT_SERVER_PORT", "8080")))).hasSize(1);
  }

  @Test
  void leavesTheVariablesOfItsClientsAlone() {
    Map<String, Object> client = new HashMap<>();
    client.put("ARTIFACT_SERVER_URL", "https://artifacts.example");
    client.put("ARTIFACT_SERVER_TOKEN", "secret");
    assertThat(unknownIn(variables(client))).isEmpty();
  }

  @Test
  void wantsRecords() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> names.addAll("artifact-server.text", String.class))
        .withMessageContaining("artifact-server.text");
  }

  private List<UnknownSetting> unknownIn(PropertySource<?> source) {
    return names.unknownIn(List.of(source));
  }

  private static String unknown(String nearest) {
    return "is not a setting, or has no effect beside the others. Did you mean " + nearest + "?";
  }

  private static boolean bound(PropertySource<?> source, String name) {
    return new Binder(Objects.requireNonNull(ConfigurationPropertySource.from(source)))
        .bind(name, String.class)
        .isBound();
  }

  private static MapPropertySource variables(Map<String, Object> variables) {
    return new SystemEnvironmentPropertySource(
        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables);
  }

  record Database(
      String url, int poolSize, Tls tls, List<String> roles, Map<String, String> options) {}

  record Tls(String trustStore) {}
}
