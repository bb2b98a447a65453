package io.artifactserver.core.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog.Removal;
import io.artifactserver.core.limit.RepositoryQuota;
import io.artifactserver.core.limit.RepositoryUsage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Uploads that the quota has no room for. */
class IngestQuotaTest extends IngestFixture {
  @Test
  void refusesWhatTheQuotaDoesNotHoldBeforeTheFirstByte() throws IOException {
    // A closed stream fails when it is read.
    InputStream untouched = InputStream.nullInputStream();
    untouched.close();
    assertThatExceptionOfType(IngestException.TooLarge.class)
        .isThrownBy(
            () -> ingest.ingest(request("edge/firmware", MAX_LENGTH + 1, List.of()), untouched));
    quotaIsNearlyUsedUp();
    assertThatExceptionOfType(IngestException.QuotaExceeded.class)
        .isThrownBy(
            () -> ingest.ingest(request("edge/firmware", MAX_LENGTH, List.of()), untouched));
    assertThat(blobs()).isEmpty();
  }

  @Test
  void refusesWhatTheQuotaDoesNotHoldMidBody() {
    assertThatExceptionOfType(IngestException.TooLarge.class)
        .isThrownBy(() -> put("edge/firmware", content((int) MAX_LENGTH + 1, 19)));
    assertNothingIsKept();
    long used = quotaIsNearlyUsedUp();
    assertThatExceptionOfType(IngestException.QuotaExceeded.class)
        .isThrownBy(() -> put("edge/firmware", content((int) MAX_LENGTH, 20)));
    assertThat(blobs()).isEmpty();
    assertThat(memory.openUploads()).isZero();
    assertThat(quota.used()).isEqualTo(used);
  }

  @Test
  void aFullRepositoryTakesNothingInAndAnotherDoes() throws Exception {
    InputStream untouched = InputStream.nullInputStream();
    untouched.close();
    ledger.put("edge", new RepositoryQuota(1000, 1));
    assertThatExceptionOfType(IngestException.RepositoryFull.class)
        .isThrownBy(() -> ingest.ingest(request("edge/firmware", 1001, List.of()), untouched))
        .withMessageContaining("edge");
    // The length is not announced.
    assertThatExceptionOfType(IngestException.RepositoryFull.class)
        .isThrownBy(() -> put("edge/firmware", content(1001, 21)));
    assertNothingIsKept();
    put("edge/firmware", content(1000, 22));
    assertThatExceptionOfType(IngestException.RepositoryFull.class)
        .isThrownBy(() -> put("edge/other", content(0, 23)));
    put("core/other", content(1001, 24));
    // It is there, so it takes no room.
    assertThat(put("edge/firmware", content(1000, 22)))
        .isInstanceOf(IngestResult.AlreadyPresent.class);
    assertThat(ledger.standing("edge").reserved()).isEqualTo(RepositoryUsage.EMPTY);
  }

  @Test
  void pathThatIsFreedWhileItsBytesComeAgainNeedsRoom() throws Exception {
    ledger.put("edge", new RepositoryQuota(10_000, 2));
    byte[] content = content(1000, 25);
    Artifact first = put("edge/firmware", content).artifact();
    put("edge/other", content(10, 26));
    InputStream again =
        new ByteArrayInputStream(content) {
          @Override
          public synchronized int read(byte[] bytes, int offset, int length) {
            int read = super.read(bytes, offset, length);
            if (read < 0 && rows.remove(first.id()) instanceof Removal.Removed) {
              try {
                put("edge/third", content(10, 27));
              } catch (IngestException | StorageException e) {
                throw new IllegalStateException(e);
              }
            }
            return read;
          }
        };
    assertThatExceptionOfType(IngestException.RepositoryFull.class)
        .isThrownBy(
            () -> ingest.ingest(request("edge/firmware", content.length, List.of()), again));
    assertThat(rows.find(first.id())).isEmpty();
    assertThat(ledger.standing("edge").reserved()).isEqualTo(RepositoryUsage.EMPTY);
  }

  private long quotaIsNearlyUsedUp() {
    try (Quota.Reservation one = quota.reserve(MAX_LENGTH);
        Quota.Reservation two = quota.reserve(MAX_LENGTH)) {
      one.keep();
      two.keep();
    } catch (IngestException e) {
      throw new AssertionError(e);
    }
    return quota.used();
  }
}
