package io.artifactserver.rest.api.attachment;

import io.artifactserver.core.attachment.AttachmentBounds;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * Documents about artifacts. They lie in the database. Immutable.
 *
 * @param maxSize of one; default 4 MB. Raise it for larger SBOMs, with the heap: one that is read
 *     takes some 25 times its size.
 * @param maxCount of an artifact; default 32. Raise it for more languages, signers or formats.
 * @param maxTotalSize of all together; default 1 GB. Raise it as the database has room.
 */
@ConfigurationProperties("artifact-server.attachments")
public record AttachmentProperties(
    @DefaultValue("4MB") DataSize maxSize,
    @DefaultValue("32") int maxCount,
    @DefaultValue("1GB") DataSize maxTotalSize) {
  private static final DataSize LARGEST = DataSize.ofMegabytes(64);

  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public AttachmentProperties {
    Assert.isTrue(
        !maxSize.isNegative() && maxSize.compareTo(LARGEST) <= 0,
        "artifact-server.attachments.max-size must be 0 to 64 MB, but is " + maxSize);
    Assert.isTrue(
        maxCount >= 0, "artifact-server.attachments.max-count must not be negative: " + maxCount);
    Assert.isTrue(
        !maxTotalSize.isNegative(),
        "artifact-server.attachments.max-total-size must not be negative, but is " + maxTotalSize);
  }

  AttachmentBounds bounds() {
    return new AttachmentBounds((int) maxSize.toBytes(), maxCount, maxTotalSize.toBytes());
  }
}
