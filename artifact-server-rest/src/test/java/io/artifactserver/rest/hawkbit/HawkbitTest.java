package io.artifactserver.rest.hawkbit;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.grant.GrantedFiles;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.json.JsonMapper;

/** Devices of a hawkBit that does not answer as it should, and of one that many ask at once. */
class HawkbitTest {
  private static final byte[] CONTENT = new byte[100_000];
  private static final Duration LONG = Duration.ofMinutes(2);

  /** So that every wish is a question. */
  private static final Duration NO_GRANT_TIME = Duration.ofNanos(1);

  private static final int PARALLEL = 32;

  private final MemoryFiles files = new MemoryFiles();
  private final FakeHawkbit fake;
  private Hawkbit hawkbit;

  HawkbitTest() throws IOException {
    this.fake = new FakeHawkbit();
    this.hawkbit = hawkbit(NO_GRANT_TIME, LONG, 1_000_000);
  }

  @BeforeEach
  void begin() throws StorageException {
    fake.artifact("7", "fw.img", CONTENT);
    DigestAlgorithm sha1 = DigestAlgorithm.SHA_1;
    files.add(Digest.of(sha1, sha1.newMessageDigest().digest(CONTENT)).hex(), CONTENT);
    assign("known");
    assign("new");
  }

  @AfterEach
  void close() {
    hawkbit.close();
    fake.close();
  }

  @Test
  void hawkbitThatIsDownIsNoReasonToRefuseKnownDevices() {
    assertThat(find("known")).isInstanceOf(Finding.Found.class);
    fake.close();
    assertThat(find("known")).isInstanceOf(Finding.Found.class);
    assertThat(find("new")).isInstanceOf(Finding.Unavailable.class);
    // Nobody learns in an outage that another token is good.
    Question stranger = new Question("DEFAULT", "known", "7", "TargetToken guessed");
    assertThat(hawkbit.find(stranger, "fw.img", null).join())
        .isInstanceOf(Finding.Unavailable.class);
  }

  @ParameterizedTest
  @EnumSource(
      value = FakeHawkbit.Fault.class,
      names = {"ERROR_500", "HTML"})
  void otherAnswersAreAnOutage(FakeHawkbit.Fault fault) {
    assertThat(find("known")).isInstanceOf(Finding.Found.class);
    fake.fault(fault);
    assertThat(find("known")).isInstanceOf(Finding.Found.class);
    assertThat(find("new")).isInstanceOf(Finding.Unavailable.class);
    fake.fault(FakeHawkbit.Fault.NONE);
    assertThat(find("new")).isInstanceOf(Finding.Found.class);
  }

  @Test
  void slowHawkbitIsAnOutageAfterTheTimeOut() {
    hawkbit.close();
    hawkbit = hawkbit(NO_GRANT_TIME, Duration.ofSeconds(1), 1_000_000);
    // A busy machine, too, may answer after the time-out.
    eventually("it is granted", () -> find("known") instanceof Finding.Found);
    fake.fault(FakeHawkbit.Fault.SILENCE);
    assertThat(find("known")).isInstanceOf(Finding.Found.class);
    assertThat(find("new")).isInstanceOf(Finding.Unavailable.class);
    fake.fault(FakeHawkbit.Fault.NONE);
    eventually("it is back", () -> find("new") instanceof Finding.Found);
  }

  @Test
  void questionsWaitWhileHawkbitHasTooMany() {
    fake.fault(FakeHawkbit.Fault.TOO_MANY);
    CompletableFuture<Finding> waits = hawkbit.find(question("new"), "fw.img", null);
    eventually("it is refused twice", () -> fake.refusals() >= 2);
    assertThat(waits).isNotDone();
    fake.fault(FakeHawkbit.Fault.NONE);
    assertThat(waits.join()).isInstanceOf(Finding.Found.class);
  }

  /** hawkBit allows an address 200 reads a second; here it is more, so that it takes less time. */
  @Test
  void tenThousandDevicesThatAskAtOnceWaitForTheirTurn() {
    hawkbit.close();
    hawkbit = hawkbit(Duration.ofMinutes(10), LONG, 3_600);
    fake.maxPerSecond(4_000);
    int devices = 10_000;
    List<CompletableFuture<Finding>> findings = new ArrayList<>();
    for (int i = 0; i < devices; i++) {
      assign("device-" + i);
      // Each asks twice, as agents do with HEAD and GET.
      findings.add(hawkbit.find(question("device-" + i), "fw.img", null));
      findings.add(hawkbit.find(question("device-" + i), "fw.img", null));
    }
    for (CompletableFuture<Finding> finding : findings) {
      assertThat(finding.join()).isInstanceOf(Finding.Found.class);
    }
    assertThat(fake.questions()).isEqualTo(devices);
    assertThat(fake.mostUnderWay()).isLessThanOrEqualTo(PARALLEL);
    // It is read once, and looked at now and then.
    assertThat(files.checks()).isLessThan(devices / 100);
    assertThat(fake.artifactBytes()).isEqualTo(64);
    // And no more in the grant time.
    assertThat(find("device-0")).isInstanceOf(Finding.Found.class);
    assertThat(fake.questions("device-0")).isEqualTo(1);
  }

  /** A pull that broke off before its first byte has nothing to go on from. */
  @Test
  void aPullThatBrokeOffBeforeItsFirstByteBeginsAgain() throws StorageException {
    ArrivingFiles arriving = new ArrivingFiles();
    fake.stopAfter(0);
    fake.cut();
    try (Hawkbit pulling = hawkbit(arriving, LONG, LONG, 1_000_000)) {
      assertThat(pulling.find(question("known"), "fw.img", null).join())
          .isInstanceOf(Finding.Found.class);
      eventually("all of it is here", arriving::isFinished);
    }
    assertThat(arriving.bytes()).isEqualTo(CONTENT);
  }

  /** A range of bytes that are not the artifact's would be a complete answer. */
  @Test
  void whatIsPulledIsFoundOnceItIsVerified() throws StorageException {
    ArrivingFiles arriving = new ArrivingFiles();
    arriving.waitForAll();
    fake.stopAfter(100);
    try (Hawkbit pulling = hawkbit(arriving, LONG, LONG, 1_000_000)) {
      CompletableFuture<Finding> first = pulling.find(question("known"), "fw.img", null);
      eventually("some has come", () -> arriving.bytes().length == 100);
      CompletableFuture<Finding> second = pulling.find(question("known"), "fw.img", null);
      assertThat(first).isNotDone();
      assertThat(second).isNotDone();
      fake.cut();
      assertThat(first.join()).isInstanceOf(Finding.Found.class);
      assertThat(arriving.isFinished()).isTrue();
      assertThat(second.join()).isInstanceOf(Finding.Found.class);
    }
    assertThat(arriving.bytes()).isEqualTo(CONTENT);
  }

  /** hawkBit's answer to one device is none to another. */
  @Test
  void aDeviceThatIsRefusedKeepsNobodyOut() throws StorageException {
    ArrivingFiles arriving = new ArrivingFiles();
    try (Hawkbit pulling = hawkbit(arriving, LONG, LONG, 1_000_000)) {
      // Both are granted the artifact before it is fetched.
      for (String device : List.of("known", "new")) {
        assertThat(pulling.find(question(device), "absent.img", null).join())
            .isInstanceOf(Finding.NotFound.class);
      }
      fake.device("known", "another-secret");
      CompletableFuture<Finding> refused = pulling.find(question("known"), "fw.img", null);
      CompletableFuture<Finding> good = pulling.find(question("new"), "fw.img", null);
      assertThat(refused.join()).isInstanceOf(Finding.Unauthorized.class);
      assertThat(good.join()).isInstanceOf(Finding.Found.class);
    }
  }

  private void assign(String device) {
    fake.device(device, "secret-of-" + device);
    fake.assign(device, "7");
  }

  private Finding find(String device) {
    return hawkbit.find(question(device), "fw.img", null).join();
  }

  private static Question question(String device) {
    return new Question("DEFAULT", device, "7", "TargetToken secret-of-" + device);
  }

  private Hawkbit hawkbit(Duration grantTime, Duration timeout, int questionsPerSecond) {
    return hawkbit(files, grantTime, timeout, questionsPerSecond);
  }

  private Hawkbit hawkbit(
      GrantedFiles source, Duration grantTime, Duration timeout, int questionsPerSecond) {
    return new Hawkbit(
        new HawkbitGrantProperties(
            fake.url(),
            grantTime,
            Duration.ofMinutes(10),
            50_000,
            questionsPerSecond,
            PARALLEL,
            timeout),
        source,
        JsonMapper.builder().build(),
        new SimpleMeterRegistry());
  }
}
