package io.artifactserver.storage.remote.window;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.unit.DataSize;

class WindowAutoConfigurationTest {
  private static final String PROPERTY = "artifact-server.storage.read-ahead-budget";

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(WindowAutoConfiguration.class));

  @Test
  void defaults() {
    runner.run(context -> {
      assertThat(context.getBean(WindowProperties.class))
          .isEqualTo(new WindowProperties(DataSize.ofMegabytes(256)));
      assertThat(context.getBean(TransferBudget.class).limit()).isEqualTo(256L << 20);
    });
  }

  @Test
  void everyName() {
    runner
        .withPropertyValues(PROPERTY + "=64MB")
        .run(context ->
            assertThat(context.getBean(TransferBudget.class).limit()).isEqualTo(64L << 20));
  }

  @Test
  void refusesABudgetOfNothing() {
    runner
        .withPropertyValues(PROPERTY + "=0B")
        .run(context ->
            assertThat(context.getStartupFailure()).rootCause().hasMessageContaining(PROPERTY));
  }
}
