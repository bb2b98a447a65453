package io.artifactserver.storage.catalog;

import io.artifactserver.storage.postgres.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The module as an application gets it, on a database of its own. */
final class CatalogApplication implements AutoCloseable {
  /** For a database whose tables are not those of today: Hibernate does not compare them. */
  static final String OLD_TABLES = "spring.jpa.hibernate.ddl-auto=none";

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
    return bean(Statements.class).count.get();
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

    @Bean
    static Statements statements() {
      return new Statements();
    }
  }

  /** Counts the statements of everyone who asks the database, whether by JPA or by JDBC. */
  static final class Statements implements BeanPostProcessor {
    private final AtomicLong count = new AtomicLong();

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
      return bean instanceof DataSource dataSource ? counting(dataSource) : bean;
    }

    private DataSource counting(DataSource dataSource) {
      return new DelegatingDataSource(dataSource) {
        @Override
        public Connection getConnection() throws SQLException {
          return counting(super.getConnection());
        }
      };
    }

    private Connection counting(Connection connection) {
      return (Connection)
          Proxy.newProxyInstance(
              CatalogApplication.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (_, method, arguments) -> {
                if (method.getName().equals("prepareStatement")) {
                  count.incrementAndGet();
                }
                try {
                  return method.invoke(connection, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getTargetException();
                }
              });
    }
  }
}
