package io.artifactserver.rest.delivery;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * How downloads are answered where clients differ. Immutable.
 *
 * @param headRanges whether a HEAD with a Range is answered as the GET would be, with 206 and the
 *     range's length; RFC 9110, section 14.2, defines ranges for GET alone
 * @param redirectWithCredentials whether a request with an {@code Authorization} field may be sent
 *     to the storage backend; many clients send the field along, and S3 then answers 400
 * @param revocationCheck how often a download that goes on is asked whether its token, or the key
 *     of its link, is still there; default 1 minute. Shorten it where revoked devices must stop
 *     sooner.
 */
@ConfigurationProperties("artifact-server.download")
public record DownloadProperties(
    @DefaultValue("false") boolean headRanges,
    @DefaultValue("false") boolean redirectWithCredentials,
    @DefaultValue("1m") Duration revocationCheck) {
  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public DownloadProperties {
    Assert.isTrue(
        revocationCheck.isPositive(),
        "artifact-server.download.revocation-check must be positive, not " + revocationCheck);
  }
}
