package io.artifactserver.rest.access.link;

import java.time.Duration;
import java.util.Set;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Signed links. Immutable.
 *
 * @param maxExpiry how far ahead a link's expiry may lie; default 7 days. Links that say more are
 *     neither made nor accepted.
 * @param clockSkew how far the signer's clock may be ahead of the server's; default 30 seconds
 * @param appendedParameters names of query parameters that may stand behind the signature, as some
 *     CDNs add them; none by default
 */
@ConfigurationProperties("artifact-server.links")
public record LinkProperties(
    @DefaultValue("7d") Duration maxExpiry,
    @DefaultValue("30s") Duration clockSkew,
    @DefaultValue Set<String> appendedParameters) {
  private static final Duration LONGEST = Duration.ofDays(3650);

  public LinkProperties {
    appendedParameters = Set.copyOf(appendedParameters);
    Assert.isTrue(
        maxExpiry.toSeconds() >= 1 && maxExpiry.compareTo(LONGEST) <= 0,
        "artifact-server.links.max-expiry must be 1s to 3650d, not " + maxExpiry);
    Assert.isTrue(
        !clockSkew.isNegative() && clockSkew.compareTo(Duration.ofHours(1)) <= 0,
        "artifact-server.links.clock-skew must be 0s to 1h, not " + clockSkew);
  }
}
