package io.artifactserver.rest.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.scheduling.annotation.Scheduled;

class JobThreadsTest {
  /** A job without one would wait for another, such as a sweep of a slow bucket. */
  @Test
  void everyJobHasAThread() throws IOException {
    PropertySource<?> settings =
        new YamlPropertySourceLoader()
            .load("application", new ClassPathResource("application.yaml"))
            .getFirst();
    long jobs =
        new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.artifactserver")
                .stream()
                .map(JavaClass::getMethods)
                .flatMap(Set::stream)
                .filter(method -> method.isAnnotatedWith(Scheduled.class))
                .count();
    assertThat(jobs).isPositive();
    assertThat(settings.getProperty("spring.task.scheduling.pool.size"))
        .isInstanceOfSatisfying(
            Integer.class, size -> assertThat(size.longValue()).isGreaterThanOrEqualTo(jobs));
  }
}
