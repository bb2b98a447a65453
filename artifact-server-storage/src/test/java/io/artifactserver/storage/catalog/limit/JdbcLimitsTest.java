package io.artifactserver.storage.catalog.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.limit.LimitStore;
import io.artifactserver.core.limit.NamedLimit;
import io.artifactserver.core.limit.Network;
import io.artifactserver.core.limit.QuotaStore;
import io.artifactserver.core.limit.RepositoryLimits;
import io.artifactserver.core.limit.RepositoryQuota;
import io.artifactserver.core.limit.RepositoryUsage;
import io.artifactserver.core.progress.DeliveredBytes;
import io.artifactserver.core.progress.DeliveryError;
import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.core.progress.ProgressStore.Added;
import io.artifactserver.core.progress.ProgressStore.Addition;
import io.artifactserver.core.progress.ProgressStore.ArtifactProgress;
import io.artifactserver.core.progress.ProgressStore.Summary;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.core.progress.Sending;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.catalog.CatalogApplication;
import io.artifactserver.storage.catalog.TestContent;
import io.artifactserver.storage.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Quotas, limits and progress in a real PostgreSQL. */
class JdbcLimitsTest {
  private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");

  private static CatalogApplication application;
  private static QuotaStore quotas;
  private static ProgressStore progress;

  @BeforeAll
  static void start() {
    application = new CatalogApplication(TestDatabase.create());
    ArtifactCatalog catalog = application.bean(ArtifactCatalog.class);
    catalog.createRepository("edge", true, false);
    catalog.createRepository("other", true, false);
    quotas = application.bean(QuotaStore.class);
    progress = application.bean(ProgressStore.class);
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @Test
  void keepsAQuotaAndTakesItAway() {
    assertThat(quotas.quota("edge")).isEqualTo(RepositoryQuota.NONE);
    for (RepositoryQuota quota :
        List.of(
            new RepositoryQuota(5, 7),
            new RepositoryQuota(0, RepositoryQuota.NO_LIMIT),
            new RepositoryQuota(RepositoryQuota.NO_LIMIT, 0),
            RepositoryQuota.NONE)) {
      assertThat(quotas.put("edge", quota)).isTrue();
      assertThat(quotas.quota("edge")).isEqualTo(quota);
    }
    assertThat(quotas.put("absent", new RepositoryQuota(1, 1))).isFalse();
    assertThat(quotas.quota("absent")).isEqualTo(RepositoryQuota.NONE);
    assertThat(quotas.usage("edge")).isEqualTo(RepositoryUsage.EMPTY);
  }

  @Test
  void keepsLimitsAndTakesThemAway() {
    LimitStore limits = application.bean(LimitStore.class);
    assertThat(limits.all()).isEmpty();
    RepositoryLimits both = new RepositoryLimits(5, 7);
    RepositoryLimits one = new RepositoryLimits(RepositoryLimits.NO_LIMIT, 1);
    assertThat(limits.put("edge", both)).isTrue();
    assertThat(limits.put("other", both)).isTrue();
    assertThat(limits.put("other", one)).isTrue();
    assertThat(limits.put("absent", both)).isFalse();
    assertThat(limits.all()).containsOnly(Map.entry("edge", both), Map.entry("other", one));
    assertThat(limits.put("edge", RepositoryLimits.NONE)).isTrue();
    assertThat(limits.put("other", RepositoryLimits.NONE)).isTrue();
    assertThat(limits.all()).isEmpty();
  }

  @Test
  void keepsLimitsThatHaveNames() {
    LimitStore limits = application.bean(LimitStore.class);
    assertThat(limits.named()).isEmpty();
    NamedLimit everything = new NamedLimit("all", 5, List.of(), List.of(), List.of());
    NamedLimit site =
        new NamedLimit(
            "site",
            1_000_000_000_000L,
            List.of(Network.parse("10.1.0.0/16"), Network.parse("2001:db8::/32")),
            List.of("anonymous", "device"),
            List.of("gateway-*", "CN=\"a, {b}\", \\ null"));
    limits.put(everything);
    limits.put(everything);
    limits.put(new NamedLimit("site", 7, List.of(), List.of(), List.of("a")));
    limits.put(site);
    assertThat(limits.named()).containsExactlyInAnyOrder(everything, site);
    limits.delete("all");
    limits.delete("absent");
    assertThat(limits.named()).containsExactly(site);
    limits.delete("site");
    assertThat(limits.named()).isEmpty();
  }

  @Test
  void addsWhatIsSentToWhatWasSent() {
    ProgressSubject subject = subject("edge", 1);
    progress.add(
        List.of(addition(subject, "b", 0, 10, 0), addition(subject, "a", 5, 5, 0)), _ -> true);
    progress.add(
        List.of(
            addition(subject, "b", 10, 10, 9),
            addition(subject("other", 1), "b", 0, 1, 9),
            addition(subject("edge", 2), "b", 0, 2, 9),
            addition(subject("absent", 1), "b", 0, 3, 9)),
        _ -> true);
    assertThat(progress.list(subject, "", 10))
        .containsExactly(device("a", 5, 5, 0), device("b", 0, 20, 0, 9));
    assertThat(progress.list(subject, "a", 10)).containsExactly(device("b", 0, 20, 0, 9));
    assertThat(progress.list(subject, "", 1)).containsExactly(device("a", 5, 5, 0));
    assertThat(progress.list(subject("absent", 1), "", 1)).isEmpty();
    assertThat(progress.list(subject("edge", 2), "", 9)).containsExactly(device("b", 0, 2, 9));
  }

  @Test
  void keepsWhenAndHowFastAndWhyItBrokeOff() {
    ProgressSubject subject = subject("edge", 7);
    DeviceProgress first = device("a", 0, 100, 0, 10);
    DeviceProgress later =
        new DeviceProgress(
            "a",
            DeliveredBytes.of(new ByteRange(100, 10)),
            new Sending(THEN.plusSeconds(100), THEN.plusSeconds(102), 10, 0, Duration.ZERO),
            new DeliveryError(DeliveryError.Reason.ABORTED, THEN.plusSeconds(102)));
    Addition beginning = new Addition(subject, first, null);
    assertThat(progress.add(List.of(beginning), _ -> false))
        .isEqualTo(new Added(List.of(), List.of()));
    assertThat(progress.add(List.of(beginning), beginning::equals))
        .isEqualTo(new Added(List.of(beginning), List.of(beginning)));
    DeviceProgress both =
        new DeviceProgress(
            "a",
            DeliveredBytes.of(new ByteRange(0, 110)),
            new Sending(
                THEN.plusSeconds(100), THEN.plusSeconds(102), 10, 100, Duration.ofSeconds(10)),
            later.lastError());
    long rows = progress.count();
    Addition more = new Addition(subject, later, "token");
    Addition refused = new Addition(subject, device("b", 0, 1, 0), "token");
    assertThat(progress.add(List.of(refused, more), _ -> false))
        .isEqualTo(new Added(List.of(new Addition(subject, both, "token")), List.of()));
    assertThat(progress.count()).isEqualTo(rows).isPositive();
    assertThat(progress.list(subject, "", 9)).containsExactly(both);
  }

  @Test
  void addsUpWhatDevicesHave() {
    ProgressSubject subject = subject("edge", 8);
    assertThat(progress.summary(subject, THEN)).isEqualTo(new Summary(0, 0, 0, 0, 0));
    DeviceProgress nothing =
        new DeviceProgress(
            "nothing",
            DeliveredBytes.NONE,
            new Sending(THEN, THEN, 0, 0, Duration.ZERO),
            new DeliveryError(DeliveryError.Reason.FAILED, THEN));
    progress.add(
        List.of(
            new Addition(subject, nothing, null),
            new Addition(subject, device("long ago", 0, 1000, -200, -100), null),
            new Addition(subject, device("at once", 0, 1000, 5, 5), null),
            new Addition(subject, device("half", 500, 500, 1, 11), null),
            new Addition(subject, device("slow", 0, 100, 0, 100), null),
            new Addition(subject("edge", 9), device("other", 0, 7, 0, 7), null)),
        _ -> true);
    assertThat(progress.summary(subject, THEN)).isEqualTo(new Summary(4, 2, 3, 2600, 51));
  }

  @Test
  void tellsWhichDevicesDoNotHaveAllOfIt() {
    ArtifactCatalog catalog = application.bean(ArtifactCatalog.class);
    catalog.createRepository("fleet", true, false);
    ProgressSubject current = subject("fleet", 4);
    progress.add(
        List.of(
            addition(current, "complete", 0, 1000, 0),
            addition(current, "half", 0, 500, 1),
            addition(current, "without the first byte", 1, 999, 2),
            addition(subject("fleet", 5), "complete", 0, 1000, 0),
            addition(subject("fleet", 5), "half", 0, 1000, 0),
            addition(subject("fleet", 5), "has an old one", 0, 1000, 0),
            addition(subject("fleet", 6), "has an old one", 0, 1, 0),
            addition(subject("edge", 4), "of another repository", 0, 500, 0)),
        _ -> true);
    assertThat(progress.missing(current, "", 10))
        .containsExactly(
            device("half", 0, 500, 1),
            DeviceProgress.nothing("has an old one"),
            device("without the first byte", 1, 999, 2));
    assertThat(progress.missing(current, "", 1)).containsExactly(device("half", 0, 500, 1));
    assertThat(progress.missing(current, "half", 1))
        .containsExactly(DeviceProgress.nothing("has an old one"));
    assertThat(progress.missing(current, "without the first byte", 1)).isEmpty();
    assertThat(progress.missing(subject("absent", 4), "", 1)).isEmpty();
  }

  @Test
  void tellsWhatADeviceHasOfArtifactsThatAreThere() {
    ArtifactCatalog catalog = application.bean(ArtifactCatalog.class);
    for (String repository : List.of("factory", "field")) {
      catalog.createRepository(repository, true, false);
    }
    ArtifactId first = new ArtifactId("factory", "image");
    ArtifactId again = new ArtifactId("factory", "same/image");
    ArtifactId other = new ArtifactId("field", "other");
    Digests digests = TestContent.digests("image of devices");
    BlobRef blob = TestContent.newBlob("image of devices");
    catalog.add(first, "text/plain", blob, digests);
    catalog.add(again, "text/plain", blob, digests);
    catalog.add(
        other,
        "text/plain",
        TestContent.newBlob("other image"),
        TestContent.digests("other image"));
    ProgressSubject image = new ProgressSubject("factory", digests.sha256(), blob.length());
    // The second repository does not have the first one's artifact.
    ProgressSubject elsewhere = new ProgressSubject("field", digests.sha256(), blob.length());
    ProgressSubject newer =
        new ProgressSubject("field", TestContent.digests("other image").sha256(), 11);
    progress.add(
        List.of(
            addition(image, "gateway", 0, 5, 1),
            addition(elsewhere, "gateway", 0, 4, 2),
            addition(newer, "gateway", 0, 3, 3),
            addition(image, "another", 0, 2, 4)),
        _ -> true);
    assertThat(progress.ofDevice("gateway", 10))
        .containsExactly(
            new ArtifactProgress(other, 11, device("gateway", 0, 3, 3)),
            new ArtifactProgress(first, blob.length(), device("gateway", 0, 5, 1)),
            new ArtifactProgress(again, blob.length(), device("gateway", 0, 5, 1)));
    assertThat(progress.ofDevice("gateway", 1)).hasSize(1);
    assertThat(progress.ofDevice("nobody", 1)).isEmpty();
  }

  @Test
  void forgetsWhatDoesNotChange() {
    ProgressSubject subject = subject("edge", 3);
    List<Addition> additions = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      additions.add(addition(subject, "device-" + i, 0, 1, i - 1000));
    }
    progress.add(additions, _ -> true);
    assertThat(progress.deleteUnchangedSince(THEN.minusSeconds(997), 2)).isEqualTo(2);
    assertThat(progress.deleteUnchangedSince(THEN.minusSeconds(997), 2)).isEqualTo(1);
    assertThat(progress.deleteUnchangedSince(THEN.minusSeconds(997), 2)).isZero();
    assertThat(progress.list(subject, "", 10))
        .extracting(DeviceProgress::device)
        .containsExactly("device-3", "device-4");
  }

  @Test
  void forgetsWhatRepositoriesNoLongerHave() {
    ArtifactCatalog catalog = application.bean(ArtifactCatalog.class);
    ArtifactId one = new ArtifactId("edge", "short-lived");
    ArtifactId same = new ArtifactId("edge", "same/short-lived");
    Digests digests = TestContent.digests("short-lived");
    BlobRef blob = TestContent.newBlob("short-lived");
    catalog.add(one, "text/plain", blob, digests);
    catalog.add(same, "text/plain", blob, digests);
    ProgressSubject here = new ProgressSubject("edge", digests.sha256(), blob.length());
    ProgressSubject elsewhere = new ProgressSubject("other", digests.sha256(), blob.length());
    progress.add(
        List.of(
            addition(here, "a", 0, 1, 1),
            addition(here, "b", 0, 1, 1),
            addition(elsewhere, "a", 0, 1, 1)),
        _ -> true);
    while (progress.deleteOrphans(2) > 0) {}
    assertThat(progress.list(elsewhere, "", 10)).isEmpty();
    assertThat(progress.list(here, "", 10)).hasSize(2);
    catalog.remove(one);
    assertThat(progress.deleteOrphans(10)).isZero();
    catalog.remove(same);
    assertThat(progress.deleteOrphans(1)).isEqualTo(1);
    assertThat(progress.deleteOrphans(10)).isEqualTo(1);
    assertThat(progress.list(here, "", 10)).isEmpty();
  }

  private static ProgressSubject subject(String repository, int digest) {
    byte[] bytes = new byte[32];
    bytes[0] = (byte) digest;
    return new ProgressSubject(repository, Digest.of(DigestAlgorithm.SHA_256, bytes), 1000);
  }

  private static Addition addition(
      ProgressSubject subject, String device, long position, long length, int seconds) {
    return new Addition(subject, device(device, position, length, seconds), null);
  }

  private static DeviceProgress device(String device, long position, long length, int seconds) {
    return device(device, position, length, seconds, seconds);
  }

  private static DeviceProgress device(
      String device, long position, long length, int begin, int end) {
    return new DeviceProgress(
        device,
        DeliveredBytes.of(new ByteRange(position, length)),
        new Sending(THEN.plusSeconds(begin), THEN.plusSeconds(end), length, 0, Duration.ZERO),
        null);
  }
}
