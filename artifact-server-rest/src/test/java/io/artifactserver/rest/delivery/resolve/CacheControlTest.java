package io.artifactserver.rest.delivery.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.Content;
import io.artifactserver.core.catalog.PathPolicy;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.derive.FramedChunk;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.rest.http.EntityTag;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cache-Control of each kind of answer (RFC 9111, section 5.2.2; RFC 8246). */
class CacheControlTest {
  private static final Digests DIGESTS = Served.digests(new byte[] {1, 2, 3});
  private static final BlobRef BLOB = new BlobRef("0".repeat(32), 3);
  private static final String FOR_EVER = "max-age=31536000, immutable";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "true  | false | 300      | public, max-age=300, no-transform",
        "true  | false | 0        | public, max-age=0, no-transform",
        "true  | false | 31536000 | public, max-age=31536000, no-transform",
        "true  | true  | 300      | public, no-cache",
        "false | false | 300      | private, no-cache",
        "false | true  | 300      | private, no-cache",
      })
  void aNameIsKeptAsItsRepositorySays(
      boolean isPublic, boolean mutable, long maxAge, String expected) {
    Repository repository = repository("fleet", isPublic, mutable, maxAge);
    Artifact artifact = artifact(repository);
    Digest sha256 = artifact.digests().sha256();
    EntityTag tag = EntityTag.of(sha256);
    assertThat(cacheControl(Served.of(artifact))).isEqualTo(expected);
    assertThat(cacheControl(Served.checksumLine(artifact, sha256, "fw.sha256")))
        .isEqualTo(expected);
    assertThat(
            cacheControl(
                Served.form(
                    artifact, new Served.Bytes.Stored(BLOB), 3, DIGESTS, tag, "a/b", "fw.zsync")))
        .isEqualTo(expected);
    // SHA-1 can be forged, so its address is a name.
    Content content = content(repository, repository("other", !isPublic, false, 17));
    assertThat(cacheControl(Served.of(content, "fleet", "fw"))).isEqualTo(expected);
    assertThat(cacheControl(Served.checksumLine(content, "fleet", sha256, "fw", "fw.MD5SUM")))
        .isEqualTo(expected);
  }

  @Test
  void anAddressWithItsDigestIsKeptForEverWhateverThePolicy() {
    Repository open = repository("fleet", true, true, 0);
    Repository closed = repository("vault", false, true, 0);
    assertThat(cacheControl(Served.of(content(open, closed)))).isEqualTo("public, " + FOR_EVER);
    assertThat(cacheControl(Served.of(content(closed)))).isEqualTo("private, " + FOR_EVER);
    assertThat(cacheControl(chunk(artifact(open)))).isEqualTo("public, " + FOR_EVER);
    assertThat(cacheControl(chunk(artifact(closed)))).isEqualTo("private, no-cache");
  }

  private static String cacheControl(Served served) {
    String value = served.fields().get(HttpHeader.CACHE_CONTROL);
    assertThat(served.partFields().get(HttpHeader.CACHE_CONTROL)).isEqualTo(value);
    assertThat(served.validators().get(HttpHeader.CACHE_CONTROL)).isEqualTo(value);
    return value;
  }

  private static Served chunk(Artifact artifact) {
    return Served.chunk(
        artifact,
        new Served.Bytes.Framed(BLOB, new FramedChunk(List.of())),
        false,
        EntityTag.of(artifact.digests().sha256()),
        "a/b",
        "00.cacnk");
  }

  private static Repository repository(
      String name, boolean isPublic, boolean mutable, long maxAge) {
    return new Repository(
        name,
        isPublic,
        false,
        false,
        new PathPolicy(mutable, Duration.ofSeconds(maxAge)),
        Instant.EPOCH);
  }

  private static Artifact artifact(Repository repository) {
    return new Artifact(repository, "fw", BLOB, "a/b", DIGESTS, Instant.EPOCH);
  }

  private static Content content(Repository... repositories) {
    return new Content(BLOB, DIGESTS, Instant.EPOCH, Set.of(repositories));
  }
}
