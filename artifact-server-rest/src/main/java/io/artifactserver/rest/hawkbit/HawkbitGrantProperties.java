package io.artifactserver.rest.hawkbit;

import java.net.URI;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * How hawkBit is asked what a device may download. Immutable.
 *
 * @param url hawkBit's own address, such as {@code http://hawkbit:8080}; empty, the default, and
 *     nothing is asked
 * @param grantTime how long an answer is believed; default 60 s. A token that hawkBit rotates stays
 *     good here for as long. Shorten it if that is too long; each device asks once in this time.
 * @param outageTime how much longer while hawkBit does not answer; default 10 minutes
 * @param maxGrants how many answers are kept, and devices known; default 50,000, some 15 MB
 * @param questionsPerSecond default 180, because hawkBit refuses more than 200 of one address; more
 *     wait. Raise it with {@code hawkbit.security.dos.filter.maxRead} there.
 * @param parallelQuestions at most so many at a time; default 32
 * @param timeout of one question; default 10 s
 */
@ConfigurationProperties("artifact-server.hawkbit")
public record HawkbitGrantProperties(
    @DefaultValue("") String url,
    @DefaultValue("60s") Duration grantTime,
    @DefaultValue("10m") Duration outageTime,
    @DefaultValue("50000") int maxGrants,
    @DefaultValue("180") int questionsPerSecond,
    @DefaultValue("32") int parallelQuestions,
    @DefaultValue("10s") Duration timeout) {
  public HawkbitGrantProperties {
    if (!url.isEmpty()) {
      URI uri = URI.create(url);
      Assert.isTrue(
          ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
              && uri.getHost() != null
              && uri.getRawQuery() == null
              && uri.getRawUserInfo() == null,
          "artifact-server.hawkbit.url is an address such as http://hawkbit:8080, not \"%s\""
              .formatted(url));
      url = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }
    requirePositive("grant-time", grantTime);
    requirePositive("timeout", timeout);
    Assert.isTrue(
        !outageTime.isNegative(),
        "artifact-server.hawkbit.outage-time must not be negative, but is " + outageTime);
    requirePositive("max-grants", maxGrants);
    requirePositive("questions-per-second", questionsPerSecond);
    requirePositive("parallel-questions", parallelQuestions);
  }

  private static void requirePositive(String name, Duration value) {
    Assert.isTrue(
        value.isPositive(),
        "artifact-server.hawkbit.%s must be positive, not %s".formatted(name, value));
  }

  private static void requirePositive(String name, int value) {
    Assert.isTrue(
        value >= 1, "artifact-server.hawkbit.%s must be at least 1, not %d".formatted(name, value));
  }
}
