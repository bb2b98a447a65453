package io.artifactserver.rest.command.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
  private final ClientOptions options = new ClientOptions();
  private final Map<String, String> environment = new HashMap<>();
  private final List<String> warnings = new ArrayList<>();

  @TempDir private Path folder;

  @BeforeEach
  void home() {
    environment.put("HOME", folder.toString());
  }

  @Test
  void optionsGoBeforeTheEnvironmentAndThatBeforeTheProfile() throws Exception {
    profile("rw-------", "server=https://profile.example\ntoken=of-profile\n");
    assertThat(read().server()).hasHost("profile.example");
    assertThat(read().token()).hasValue("of-profile");
    environment.put("ARTIFACT_SERVER_URL", "https://variable.example/");
    environment.put("ARTIFACT_SERVER_TOKEN", "of-variable\n");
    assertThat(read().server()).isEqualTo(URI.create("https://variable.example"));
    assertThat(read().token()).hasValue("of-variable");
    options.server = "https://option.example:8080/firmware/";
    options.tokenFile = file("token", "rw-------", "of-option\n");
    assertThat(read().server()).isEqualTo(URI.create("https://option.example:8080/firmware"));
    assertThat(read().token()).hasValue("of-option");
    assertThat(warnings).isEmpty();
  }

  @Test
  void theTokenOfTheProfileIsForItsServerOnly() throws Exception {
    profile("rw-------", "server=https://profile.example\ntoken=of-profile\n");
    options.server = "https://other.example";
    assertThat(read().token()).isEmpty();
    options.server = "https://profile.example/";
    assertThat(read().token()).hasValue("of-profile");
  }

  @Test
  void aProfileWithATokenIsForItsOwnerOnly() throws Exception {
    profile("rw-r--r--", "server=https://profile.example\ntoken=secret-1\n");
    refused("chmod 600");
    profile("rw-r--r--", "server=https://profile.example\n");
    assertThat(read().token()).isEmpty();
  }

  @Test
  void aTokenFileThatOthersMayReadIsWarnedOf() throws Exception {
    options.server = "https://a.example";
    options.tokenFile = file("token", "rw-r--r--", "secret-1");
    assertThat(read().token()).hasValue("secret-1");
    assertThat(warnings).singleElement().asString().contains("chmod 600").doesNotContain("secret");
  }

  @ParameterizedTest
  @CsvSource({"http://192.0.2.1:8080, 1", "http://127.0.0.1:8080, 0", "https://192.0.2.1, 0"})
  void aTokenInClearIsWarnedOf(String server, int count) throws Exception {
    options.server = server;
    options.tokenFile = file("token", "rw-------", "secret-1");
    assertThat(read().token()).hasValue("secret-1");
    assertThat(warnings)
        .hasSize(count)
        .allSatisfy(line -> assertThat(line).contains("unencrypted").doesNotContain("secret"));
  }

  @Test
  void aTokenIsNeverShown() throws Exception {
    options.server = "https://a.example";
    environment.put("ARTIFACT_SERVER_TOKEN", "secret-1");
    assertThat(read().toString()).doesNotContain("secret");
    environment.put("ARTIFACT_SERVER_TOKEN", "secret\u00001");
    refused("no token");
  }

  @Test
  void aProfileMayBeNamedAndMayNameItsTokenFile() throws Exception {
    Path token = file("other-token", "rw-------", "of-file");
    options.profile =
        file(
            "own.properties",
            "rw-r--r--",
            "server=https://own.example\ntoken-file=%s\nca=/etc/ca.pem\n".formatted(token));
    assertThat(read().token()).hasValue("of-file");
    assertThat(read().authorities()).hasValue(Path.of("/etc/ca.pem"));
    options.profile = folder.resolve("absent");
    refused("there is no such file");
  }

  @Test
  void anUnknownNameIsRefused() throws Exception {
    profile("rw-------", "sever=https://profile.example\n");
    refused("[sever]");
  }

  @Test
  void aServerIsNeeded() {
    refused("no server is named");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "host:8080",
        "ftp://host",
        "https://",
        "https://u:p@host",
        "https://host?a",
        "a b"
      })
  void aServerIsAnAddress(String server) {
    options.server = server;
    refused("is no server");
  }

  private Settings read() throws ClientException {
    return Settings.of(options, environment, warnings::add);
  }

  private void refused(String message) {
    assertThatExceptionOfType(ClientException.class)
        .isThrownBy(this::read)
        .withMessageContaining(message)
        .satisfies(e -> assertThat(e.reason()).isEqualTo(ClientException.Reason.MISUSED))
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret-1"));
  }

  private void profile(String mode, String text) throws IOException {
    Files.createDirectories(folder.resolve(".config/artifact-server"));
    var _ = file(".config/artifact-server/client.properties", mode, text);
  }

  private Path file(String name, String mode, String text) throws IOException {
    Path file = Files.writeString(folder.resolve(name), text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }
}
