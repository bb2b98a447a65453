package io.artifactserver.rest.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.scheduling.annotation.Scheduled;

class JobThreadsTest {
  /** A job without one would wait for another, such as a sweep of a slow bucket. */
  @Test
  void everyJobHasAThread() throws IOException {
    PropertySource<?> settings =
        new YamlPropertySourceLoader()
            .load("application", new ClassPathResource("application.yaml"))
            .getFirst();
    MetadataReaderFactory classes = MetadataReaderFactory.create(getClass().getClassLoader());
    long jobs = 0;
    for (Resource file :
        new PathMatchingResourcePatternResolver()
            .getResources("classpath*:io/artifactserver/**/*.class")) {
      if (!file.getURL().getPath().contains("/test-classes/")) {
        jobs +=
            classes
                .getMetadataReader(file)
                .getAnnotationMetadata()
                .getAnnotatedMethods(Scheduled.class.getName())
                .size();
      }
    }
    assertThat(jobs).isPositive();
    long most = jobs;
    assertThat(settings.getProperty("spring.task.scheduling.pool.size"))
        .isInstanceOfSatisfying(
            Integer.class, size -> assertThat(size.longValue()).isGreaterThanOrEqualTo(most));
  }
}
