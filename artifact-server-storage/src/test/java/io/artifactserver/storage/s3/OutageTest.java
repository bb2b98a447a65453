package io.artifactserver.storage.s3;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.StorageException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OutageTest {
  private final AtomicLong nanos = new AtomicLong(-5);
  private final Outage outage = new Outage(nanos::get);

  @Test
  void letsEverybodyPassWhileTheServerAnswers() throws StorageException {
    outage.pass();
    outage.pass();
    outage.answered();
    assertThatCode(outage::pass).doesNotThrowAnyException();
  }

  @Test
  void letsOnePassAPauseWhileItDoesNot() throws StorageException {
    goDown();
    requireFailsFast();
    waitForThePause();
    long probe = outage.pass();
    requireFailsFast();
    outage.failed(probe);
    requireFailsFast();
    waitForThePause();
    outage.pass();
    outage.answered();
    outage.pass();
    outage.pass();
  }

  @Test
  void aProbeThatWasGivenUpIsReplaced() throws StorageException {
    goDown();
    waitForThePause();
    outage.pass();
    outage.unknown();
    outage.pass();
    requireFailsFast();
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
        .withMessageContaining("tried again soon");
  }
}
