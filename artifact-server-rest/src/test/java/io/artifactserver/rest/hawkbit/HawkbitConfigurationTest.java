package io.artifactserver.rest.hawkbit;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.grant.GrantedFiles;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import tools.jackson.databind.json.JsonMapper;

class HawkbitConfigurationTest {
  private static final String URL = "artifact-server.hawkbit.url=";
  private static final String WEBHOOK = "artifact-server.hawkbit.webhook=";

  /** As docker-compose.yml passes on variables that are not set. */
  @Test
  void emptyAddressesMakeNothing() {
    runner()
        .withPropertyValues(URL, WEBHOOK)
        .run(context ->
            assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(Hawkbit.class)
                .doesNotHaveBean(Outbox.class)
                .doesNotHaveBean(Webhook.class)
                .doesNotHaveBean(Reports.class));
    runner().run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Hawkbit.class));
  }

  @Test
  void hawkbitMayBeAskedWithoutAWebhook() {
    runner()
        .withPropertyValues(URL + "http://hawkbit:8080", WEBHOOK)
        .withBean(GrantedFiles.class, MemoryFiles::new)
        .run(context ->
            assertThat(context)
                .hasSingleBean(Hawkbit.class)
                .hasSingleBean(Reports.class)
                .doesNotHaveBean(Webhook.class));
  }

  @Test
  void webhookIsTold() {
    runner()
        .withPropertyValues(URL + "http://hawkbit:8080", WEBHOOK + "http://hook/")
        .withBean(GrantedFiles.class, MemoryFiles::new)
        .run(context -> assertThat(context).hasSingleBean(Webhook.class));
  }

  @Test
  void missingFolderIsSaidAtTheStart() {
    runner()
        .withPropertyValues(URL + "http://hawkbit:8080")
        .run(context ->
            assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("mount hawkBit's folder of artifacts"));
  }

  private static ApplicationContextRunner runner() {
    return new ApplicationContextRunner()
        .withUserConfiguration(Settings.class, HawkbitConfiguration.class)
        .withBean(JsonMapper.class, () -> JsonMapper.builder().build())
        .withBean(MeterRegistry.class, SimpleMeterRegistry::new);
  }

  @EnableConfigurationProperties({HawkbitGrantProperties.class, HawkbitReportProperties.class})
  static final class Settings {}
}
