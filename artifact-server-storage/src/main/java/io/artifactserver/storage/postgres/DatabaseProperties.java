package io.artifactserver.storage.postgres;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * The database. Immutable.
 *
 * @param url JDBC address, {@code jdbc:postgresql://host:port/database}; default empty, for the
 *     embedded PostgreSQL in {@code artifact-server.data-dir}. Set it to use a database of your
 *     own, which is recommended for production.
 * @param username of the database role; default empty. Set it with {@code url}.
 * @param password of the database role, a secret; default empty. Set it with {@code url}.
 * @param poolSize most connections open at once, a count; default 8. Raise it when requests wait
 *     for a connection while the database is idle.
 * @param startTimeout how long the start waits for a database that does not answer yet; default 30
 *     s. Raise it when the database takes longer to come up.
 */
@ConfigurationProperties("artifact-server.database")
public record DatabaseProperties(
    @DefaultValue("") String url,
    @DefaultValue("") String username,
    @DefaultValue("") String password,
    @DefaultValue("8") int poolSize,
    @DefaultValue("30s") Duration startTimeout) {
  /** Most connections a pool may have. */
  public static final int MAX_POOL_SIZE = 500;

  private static final String URL_PREFIX = "jdbc:postgresql:";

  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public DatabaseProperties {
    // The value is not repeated: an address of another form may carry a password anywhere.
    Assert.isTrue(
        url.isEmpty() || url.startsWith(URL_PREFIX),
        "artifact-server.database.url begins with \"" + URL_PREFIX + "\"; only PostgreSQL serves");
    Assert.isTrue(
        !url.isEmpty() || (username.isEmpty() && password.isEmpty()),
        "artifact-server.database.username and .password take effect only with"
            + " artifact-server.database.url, which is not set");
    Assert.isTrue(
        poolSize >= 1 && poolSize <= MAX_POOL_SIZE,
        "artifact-server.database.pool-size must be 1 to %d, not %d"
            .formatted(MAX_POOL_SIZE, poolSize));
    Assert.isTrue(
        !startTimeout.isNegative(),
        "artifact-server.database.start-timeout must not be negative, but is " + startTimeout);
  }

  /** Whether the embedded database is used. */
  public boolean embedded() {
    return url.isEmpty();
  }

  /** Without the password, and without the address's parameters, which may name one. */
  @Override
  public String toString() {
    return "DatabaseProperties[url=%s, username=%s, password=***, poolSize=%d, startTimeout=%s]"
        .formatted(withoutParameters(url), username, poolSize, startTimeout);
  }

  static String withoutParameters(String url) {
    int parameters = url.indexOf('?');
    return parameters < 0 ? url : url.substring(0, parameters) + "?***";
  }
}
