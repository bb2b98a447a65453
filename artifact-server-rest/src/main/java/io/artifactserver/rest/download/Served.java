package io.artifactserver.rest.download;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.Content;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.rest.http.ContentDisposition;
import io.artifactserver.rest.http.EntityTag;
import io.artifactserver.rest.http.HttpDate;
import io.artifactserver.rest.http.Representation;
import java.time.Instant;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;

/**
 * An artifact or content as it is served: everything about the answer that is the same for every
 * request, made once. Immutable.
 *
 * @param blob where the bytes are
 * @param representation for the planner
 * @param mediaType of the representation
 * @param fields of every 200 and 206
 * @param validators of a 304 (RFC 9110, section 15.4.5)
 */
record Served(
    BlobRef blob,
    Representation representation,
    String mediaType,
    HttpFields fields,
    HttpFields validators) {
  /** A year, the longest that RFC 9111 recipients are asked to believe. */
  private static final String IMMUTABLE = "max-age=31536000, immutable";

  static Served of(Artifact artifact) {
    return of(
        artifact.blob(),
        artifact.digests(),
        artifact.createdAt(),
        artifact.mediaType(),
        artifact.id().fileName(),
        artifact.repository().isPublic() ? "public, " + IMMUTABLE : "private, no-cache");
  }

  static Served of(Content content) {
    boolean isPublic = content.repositories().stream().anyMatch(Repository::isPublic);
    return of(
        content.blob(),
        content.digests(),
        content.createdAt(),
        "application/octet-stream",
        content.digests().sha256().hex(),
        (isPublic ? "public, " : "private, ") + IMMUTABLE);
  }

  private static Served of(
      BlobRef blob,
      Digests digests,
      Instant createdAt,
      String mediaType,
      String fileName,
      String cacheControl) {
    Representation representation =
        new Representation(blob.length(), EntityTag.of(digests.sha256()), createdAt);
    HttpFields validators =
        HttpFields.build()
            .add(encoded(HttpHeader.ETAG, representation.entityTag().toString()))
            .add(encoded(HttpHeader.LAST_MODIFIED, HttpDate.format(representation.lastModified())))
            .add(encoded(HttpHeader.CACHE_CONTROL, cacheControl))
            .asImmutable();
    HttpFields fields =
        HttpFields.build(validators)
            .add(encoded(HttpHeader.ACCEPT_RANGES, "bytes"))
            .add(
                new PreEncodedHttpField(
                    "Content-Disposition", ContentDisposition.attachment(fileName)))
            .add(new PreEncodedHttpField("X-Content-Type-Options", "nosniff"))
            .asImmutable();
    return new Served(blob, representation, mediaType, fields, validators);
  }

  private static HttpField encoded(HttpHeader header, String value) {
    return new PreEncodedHttpField(header, value);
  }
}
