package io.artifactserver.rest.hawkbit;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.range.ByteRange;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** The reports of downloads: to whom, of which, and how often. */
class ReportsTest {
  private static final Digest SHA_256 =
      Digest.of(DigestAlgorithm.SHA_256, DigestAlgorithm.SHA_256.newMessageDigest().digest());

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final List<String> told = new ArrayList<>();
  private final Reports reports =
      new Reports(
          List.of((report, question) ->
              told.add(
                  "%s %s %d".formatted(question.controllerId(), report.state(), report.bytes()))),
          registry);

  @Test
  void rangesMakeAWholeAndAreToldOfOnce() {
    deliver("device", 50, 100, true);
    deliver("device", 0, 40, true);
    assertThat(told).isEmpty();
    deliver("device", 40, 50, true);
    deliver("device", 0, 100, true);
    assertThat(told).containsExactly("device COMPLETE 100");
    deliver("other", 0, 100, true);
    assertThat(told).containsExactly("device COMPLETE 100", "other COMPLETE 100");
    assertThat(registry.counter("artifact_server.hawkbit.download.bytes", "tenant", "A").count())
        .isEqualTo(300);
  }

  @Test
  void deviceThatBreaksOffIsToldOfOnceAndMayGoOn() {
    deliver("device", 0, 10, false);
    deliver("device", 10, 30, false);
    assertThat(told).containsExactly("device ABORTED 10");
    deliver("device", 30, 100, true);
    assertThat(told).containsExactly("device ABORTED 10", "device COMPLETE 100");
    // One that has everything may stop whenever it wants.
    deliver("device", 0, 10, false);
    assertThat(told).hasSize(2);
    assertThat(
            registry
                .counter("artifact_server.hawkbit.downloads", "tenant", "A", "ending", "aborted")
                .count())
        .isEqualTo(3);
  }

  @Test
  void messageIsSentAgainUntilItIsTakenAndNotForEver() {
    AtomicInteger taken = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    try (Outbox outbox = new Outbox(10, Duration.ofMillis(1), registry)) {
      outbox.add(() -> {
        if (taken.incrementAndGet() < 4) {
          throw new IOException("planted");
        }
      });
      outbox.add(() -> {
        refused.incrementAndGet();
        throw new IOException("planted");
      });
      eventually("one is given up", () -> lost() == 1);
      eventually("the other is taken", () -> taken.get() == 4);
      assertThat(refused).hasValue(6);
    }
  }

  @Test
  void whatDoesNotFitIsLostAndCounted() {
    CountDownLatch end = new CountDownLatch(1);
    try (Outbox outbox = new Outbox(1, Duration.ofMillis(1), registry)) {
      CountDownLatch begun = new CountDownLatch(2);
      for (int i = 0; i < 2; i++) {
        outbox.add(() -> {
          begun.countDown();
          end.await();
        });
      }
      eventually("both threads are busy", () -> begun.getCount() == 0);
      outbox.add(end::await);
      outbox.add(end::await);
      assertThat(lost()).isEqualTo(1);
      end.countDown();
    }
  }

  @Test
  void hawkbitIsToldInTheHistoryOfTheAction() throws IOException {
    try (FakeHawkbit fake = new FakeHawkbit();
        Hawkbit hawkbit =
            new Hawkbit(
                new HawkbitGrantProperties(
                    fake.url(),
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(1),
                    10,
                    1000,
                    2,
                    Duration.ofSeconds(10)),
                new MemoryFiles(),
                JsonMapper.builder().build(),
                registry);
        Outbox outbox = new Outbox(10, Duration.ofMillis(1), registry)) {
      fake.device("idle", "x");
      fake.device("device", "x");
      fake.action("device", "42");
      Reports told = new Reports(List.of(hawkbit.feedback(outbox)), registry);
      // One without an action has no history.
      told.of(new Question("a", "idle", "7", "TargetToken x"), "fw.img", SHA_256, 100)
          .delivered(new ByteRange(0, 100));
      told.of(new Question("a", "device", "7", "TargetToken x"), "fw.img", SHA_256, 100)
          .delivered(new ByteRange(0, 100));
      eventually("hawkBit is told", () -> !fake.feedback().isEmpty());
      assertThat(fake.feedback())
          .singleElement()
          .asString()
          .startsWith("42 ")
          // The other word ends an action that only downloads.
          .contains("\"execution\":\"download\"", "\"finished\":\"none\"")
          .contains("sent 100 of 100 bytes of fw.img");
      assertThat(lost()).isZero();
    }
  }

  private double lost() {
    return registry.counter("artifact_server.hawkbit.reports.lost").count();
  }

  private void deliver(String device, long position, long end, boolean isComplete) {
    Reports.Download download =
        reports.of(new Question("a", device, "7", "TargetToken x"), "fw.img", SHA_256, 100);
    download.delivered(new ByteRange(position, end - position));
    download.ended(isComplete);
  }
}
