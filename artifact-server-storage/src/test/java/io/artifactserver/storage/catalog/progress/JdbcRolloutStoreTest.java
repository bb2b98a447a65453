package io.artifactserver.storage.catalog.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.progress.DeliveredBytes;
import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.core.progress.ProgressStore.Addition;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.core.progress.RolloutStore;
import io.artifactserver.core.progress.RolloutStore.Group;
import io.artifactserver.core.progress.Sending;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.catalog.CatalogApplication;
import io.artifactserver.storage.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The bytes of all devices together, in a real PostgreSQL. */
class JdbcRolloutStoreTest {
  private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
  private static final Instant SINCE = NOW.minus(Sending.GAP);
  private static final long LENGTH = 1000;
  private static final ProgressSubject FIRMWARE = subject("boards", 1);
  private static final ProgressSubject OLD = subject("boards", 2);
  private static final ProgressSubject ELSEWHERE = subject("others", 1);

  private static CatalogApplication application;
  private static RolloutStore store;

  @BeforeAll
  static void start() {
    application = new CatalogApplication(TestDatabase.create());
    ArtifactCatalog catalog = application.bean(ArtifactCatalog.class);
    catalog.createRepository("boards", true, false);
    catalog.createRepository("others", true, false);
    store = application.bean(RolloutStore.class);
    List<Addition> additions = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      additions.add(addition(FIRMWARE, "complete-%04d".formatted(i), 0, LENGTH, 600, 900));
    }
    additions.add(addition(FIRMWARE, "slow", 0, 10, 30, 20));
    additions.add(addition(FIRMWARE, "slower", 0, 5, 30, 20));
    additions.add(addition(FIRMWARE, "just begun", 0, 1, 5, 5));
    additions.add(addition(FIRMWARE, "complete and active", 0, LENGTH, 30, 5));
    additions.add(addition(FIRMWARE, "stuck", 0, 500, 400, 300));
    additions.add(addition(FIRMWARE, "stuck for longer", 0, 500, 500, 400));
    additions.add(addition(FIRMWARE, "tried in vain", 0, 0, 700, 700));
    additions.add(addition(OLD, "slow", 0, 7, 10, 9));
    additions.add(addition(OLD, "old", 0, LENGTH, 10, 9));
    additions.add(addition(OLD, "older", 0, LENGTH, 1000, 900));
    additions.add(addition(ELSEWHERE, "elsewhere", 0, 300, 30, 20));
    application.bean(ProgressStore.class).add(additions, _ -> true);
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @Test
  void aDeviceIsActiveOnceWhateverItGets() {
    assertThat(store.active(SINCE)).isEqualTo(6);
    assertThat(store.active(NOW)).isZero();
  }

  @Test
  void devicesOfARepositoryAreCountedOnce() {
    assertThat(store.seen("boards")).isEqualTo(3009);
    assertThat(store.seen("others")).isEqualTo(1);
    assertThat(store.seen("absent")).isZero();
  }

  @Test
  void theSlowestAreThoseWithTheLeastRate() {
    assertThat(names(store.slowest(FIRMWARE, SINCE, 10)))
        .containsExactly("just begun", "slower", "slow");
    assertThat(names(store.slowest(FIRMWARE, SINCE, 1))).containsExactly("just begun");
    assertThat(store.slowest(ELSEWHERE, SINCE, 10).getFirst().delivered().count()).isEqualTo(300);
  }

  @Test
  void theStuckAreThoseThatWaitLongest() {
    assertThat(names(store.stuck(FIRMWARE, SINCE, 10)))
        .containsExactly("tried in vain", "stuck for longer", "stuck");
    assertThat(names(store.stuck(FIRMWARE, SINCE, 2)))
        .containsExactly("tried in vain", "stuck for longer");
    assertThat(store.stuck(ELSEWHERE, SINCE, 10)).isEmpty();
  }

  @Test
  void devicesAreCountedByHowMuchTheyHave() {
    assertThat(store.counts(FIRMWARE)).isEqualTo(new RolloutStore.Counts(5, 3001));
    assertThat(store.counts(OLD)).isEqualTo(new RolloutStore.Counts(1, 2));
    assertThat(store.counts(subject("boards", 9))).isEqualTo(new RolloutStore.Counts(0, 0));
  }

  /** However many devices have all of it, they are one row. */
  @Test
  void equalBytesAreToldOnceWithTheirDevices() {
    Map<DeliveredBytes, Group> told = new HashMap<>();
    store.groups(FIRMWARE, SINCE, group -> assertThat(told.put(group.delivered(), group)).isNull());
    assertThat(told.values())
        .contains(
            new Group(bytes(0, LENGTH), 3001, 1, 40),
            new Group(bytes(0, 500), 2, 0, 0),
            new Group(bytes(0, 10), 1, 1, 1),
            new Group(bytes(0, 1), 1, 1, 0),
            new Group(DeliveredBytes.NONE, 1, 0, 0))
        .hasSize(6);
    assertThat(told.values().stream().mapToDouble(Group::rate).sum())
        .isEqualTo(
            (double) application.bean(ProgressStore.class).summary(FIRMWARE, SINCE).rate(),
            within(0.6));
  }

  private static List<String> names(List<DeviceProgress> devices) {
    return devices.stream().map(DeviceProgress::device).toList();
  }

  private static ProgressSubject subject(String repository, int digest) {
    byte[] bytes = new byte[32];
    bytes[0] = (byte) digest;
    return new ProgressSubject(repository, Digest.of(DigestAlgorithm.SHA_256, bytes), LENGTH);
  }

  private static DeliveredBytes bytes(long position, long length) {
    return DeliveredBytes.of(new ByteRange(position, length));
  }

  /** Times are seconds before now. */
  private static Addition addition(
      ProgressSubject subject, String device, long position, long length, int begin, int end) {
    return new Addition(
        subject,
        new DeviceProgress(
            device,
            bytes(position, length),
            new Sending(
                NOW.minusSeconds(Math.max(begin, end)),
                NOW.minusSeconds(end),
                length,
                0,
                Duration.ZERO),
            null),
        null);
  }
}
