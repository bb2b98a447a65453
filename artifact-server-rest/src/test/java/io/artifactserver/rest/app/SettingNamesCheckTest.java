package io.artifactserver.rest.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.rest.api.artifact.UploadProperties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

@ExtendWith(OutputCaptureExtension.class)
class SettingNamesCheckTest {
  @Test
  void everyKnownNameStarts() {
    try (ConfigurableApplicationContext context =
        run(
            "--artifact-server.data-dir=x",
            "--artifact-server.storage.backend=file",
            "--artifact-server.access.public-metrics=true",
            "--artifact-server.retire.grace-period=1m",
            "--artifact-server.retire.orphan-age=1h",
            "--artifact-server.retire.sweep-interval=1s",
            "--artifact-server.upload.max-artifact-size=1GB",
            "--artifact-server.upload.maxTotalSize=2GB")) {
      assertThat(context.isActive()).isTrue();
    }
  }

  @Test
  void showsEveryUnknownNameWithItsSourceAndNotItsValue(CapturedOutput output) {
    assertThatExceptionOfType(UnknownSettingsException.class)
        .isThrownBy(() ->
            run(
                    "--artifact-server.retire.grace-perid=hidden",
                    "--artifact-server.uplaod.max-total-size=hidden")
                .close());
    assertThat(output)
        .contains("APPLICATION FAILED TO START")
        .contains(
            "artifact-server.retire.grace-perid (\"artifact-server.retire.grace-perid\" from"
                + " property source \"commandLineArgs\") is not a setting")
        .contains("Did you mean artifact-server.retire.grace-period?")
        .contains("Did you mean artifact-server.upload.max-total-size?")
        .contains("Correct the names")
        .doesNotContain("hidden")
        .doesNotContain("at io.artifactserver");
  }

  @ParameterizedTest
  @ValueSource(strings = {"conscrypt", "jsse", "auto"})
  void tlsHasNoProvidersAnyMore(String value, CapturedOutput output) {
    assertThatExceptionOfType(UnknownSettingsException.class)
        .isThrownBy(() -> run("--artifact-server.tls.provider=" + value).close());
    assertThat(output)
        .contains(
            "artifact-server.tls.provider (\"artifact-server.tls.provider\" from property source"
                + " \"commandLineArgs\") is no longer a setting: TLS is always Java's own (JSSE)."
                + " Remove it.");
  }

  @Test
  void stopsTheStartBeforeTheFirstBean() {
    assertThatExceptionOfType(UnknownSettingsException.class)
        .isThrownBy(() ->
            new SpringApplicationBuilder(Failing.class, SettingNamesCheck.class)
                .web(WebApplicationType.NONE)
                .run("--artifact-server.typo=x")
                .close());
  }

  private static ConfigurableApplicationContext run(String... arguments) {
    return new SpringApplicationBuilder(Application.class)
        .web(WebApplicationType.NONE)
        .run(arguments);
  }

  @Configuration(proxyBeanMethods = false)
  @Import(SettingNamesCheck.class)
  @EnableConfigurationProperties({
    AccessProperties.class,
    RetireProperties.class,
    UploadProperties.class
  })
  static class Application {}

  @Configuration(proxyBeanMethods = false)
  static class Failing {
    @Bean
    Object first() {
      throw new IllegalStateException("A bean was made");
    }
  }
}
