package io.artifactserver.storage.catalog;

import io.artifactserver.storage.local.folder.DataFolderAutoConfiguration;
import io.artifactserver.storage.postgres.DatabaseAutoConfiguration;
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
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The module as an application gets it, on a database of its own. */
public final class CatalogApplication implements AutoCloseable {
  private final ConfigurableApplicationContext context;

  /**
   * @param properties more of them, as {@code name=value}
   */
  public CatalogApplication(TestDatabase database, String... properties) {
    context =
        new SpringApplicationBuilder(Beans.class)
            .web(WebApplicationType.NONE)
            .properties("spring.main.banner-mode=off", "artifact-server.database.pool-size=16")
            .properties(database.properties())
            .properties(properties)
            .run();
  }

  /** Brings the database to a version of its tables, without anybody who asks for today's. */
  static void migrate(TestDatabase database, int version) {
    new SpringApplicationBuilder(Tables.class)
        .web(WebApplicationType.NONE)
        .properties("spring.main.banner-mode=off", "spring.flyway.target=" + version)
        .properties(database.properties())
        .run()
        .close();
  }

  public <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  public TestClock clock() {
    return bean(TestClock.class);
  }

  /** The statements sent to the database until now. */
  public long statements() {
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

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    DataFolderAutoConfiguration.class,
    DatabaseAutoConfiguration.class,
    FlywayAutoConfiguration.class
  })
  static class Tables {}

  /** Counts the statements of everyone who asks the database. */
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
