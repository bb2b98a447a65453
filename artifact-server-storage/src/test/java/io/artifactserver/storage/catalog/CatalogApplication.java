package io.artifactserver.storage.catalog;

import io.artifactserver.storage.postgres.TestDatabase;
import jakarta.persistence.EntityManagerFactory;
import org.hibernate.SessionFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The module as an application gets it, on a database of its own. */
final class CatalogApplication implements AutoCloseable {
  private final ConfigurableApplicationContext context;

  /**
   * @param properties more of them, as {@code name=value}
   */
  CatalogApplication(TestDatabase database, String... properties) {
    context =
        new SpringApplicationBuilder(Beans.class)
            .web(WebApplicationType.NONE)
            .properties(
                "spring.main.banner-mode=off",
                "spring.jpa.hibernate.ddl-auto=validate",
                "spring.jpa.properties.hibernate.generate_statistics=true",
                "logging.level.org.hibernate.session.metrics=warn",
                "artifact-server.database.pool-size=16")
            .properties(database.properties())
            .properties(properties)
            .run();
  }

  <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  TestClock clock() {
    return bean(TestClock.class);
  }

  /** The statements sent to the database until now. */
  long statements() {
    return bean(EntityManagerFactory.class)
        .unwrap(SessionFactory.class)
        .getStatistics()
        .getPrepareStatementCount();
  }

  @Override
  public void close() {
    context.close();
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Beans {
    @Bean
    TestClock clock() {
      return new TestClock();
    }
  }
}
