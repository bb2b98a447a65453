package io.artifactserver.storage.remote.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.StorageException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OutageTest {
  private final AtomicLong nanos = new AtomicLong(-5);
  private final AtomicBoolean isThere = new AtomicBoolean();
  private final Queue<Runnable> probes = new ArrayDeque<>();
  private final Outage outage = new Outage(nanos::get, probes::add, isThere::get);

  @Test
  void letsEverybodyPassWhileTheServerAnswers() throws StorageException {
    outage.pass();
    outage.pass();
    outage.answered();
    assertThatCode(outage::pass).doesNotThrowAnyException();
    assertThat(probes).isEmpty();
  }

  @Test
  void aProbeAfterEachPauseTriesForAll() throws StorageException {
    goDown();
    requireFailsFast();
    assertThat(probes).as("within the pause").isEmpty();
    waitForThePause();
    requireFailsFast();
    requireFailsFast();
    assertThat(probes).as("one at a time").hasSize(1);
    probes.remove().run();
    requireFailsFast();
    assertThat(probes).as("the next pause").isEmpty();
    waitForThePause();
    requireFailsFast();
    isThere.set(true);
    probes.remove().run();
    assertThatCode(outage::pass).doesNotThrowAnyException();
    assertThat(probes).isEmpty();
  }

  @Test
  void aProbeThatBreaksIsFollowedByAnother() throws StorageException {
    Outage broken =
        new Outage(
            nanos::get,
            probes::add,
            () -> {
              throw new IllegalStateException("as the test asks");
            });
    broken.failed(broken.pass());
    waitForThePause();
    for (int i = 0; i < 2; i++) {
      assertThatExceptionOfType(StorageException.StorageUnavailable.class).isThrownBy(broken::pass);
      assertThatExceptionOfType(IllegalStateException.class).isThrownBy(probes.remove()::run);
    }
  }

  @Test
  void anAnswerToAnyRequestEndsTheOutage() throws StorageException {
    goDown();
    outage.answered();
    assertThatCode(outage::pass).doesNotThrowAnyException();
  }

  @Test
  void aFailureBesideAnswersSaysNothingOfTheServer() throws StorageException {
    long broken = outage.pass();
    nanos.addAndGet(10);
    outage.pass();
    outage.answered();
    outage.failed(broken);
    assertThatCode(outage::pass).doesNotThrowAnyException();
  }

  private void goDown() throws StorageException {
    outage.failed(outage.pass());
  }

  private void waitForThePause() {
    nanos.addAndGet(Outage.PAUSE.toNanos());
  }

  private void requireFailsFast() {
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(outage::pass)
        .withMessageContaining("trying again soon");
  }
}
