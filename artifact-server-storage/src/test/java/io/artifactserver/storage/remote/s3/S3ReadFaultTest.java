package io.artifactserver.storage.remote.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.testserver.FaultProxy.Fault;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Reads whose requests, answers or objects go wrong. */
class S3ReadFaultTest extends S3FaultFixture {
  @Test
  void aResetConnectionIsTriedAgain() throws Exception {
    byte[] content = content(CHUNK);
    BlobRef ref = store(content);
    proxy.plan(2, isGet(), new Fault.Reset(0));
    requireRead(ref, ByteRange.whole(CHUNK), content);
  }

  @Test
  void oneFailureOfAnyKindCostsOneMoreRequest() throws Exception {
    byte[] content = content(CHUNK);
    BlobRef ref = store(content);
    for (Fault fault :
        List.of(
            new Fault.Reset(0),
            new Fault.Reset(1234),
            new Fault.Truncate(1234),
            new Fault.Refuse(503, "SlowDown"),
            new Fault.Refuse(500, "InternalError"))) {
      requireRead(ref, ByteRange.whole(CHUNK), content);
      proxy.reset();
      proxy.plan(1, isGet(), fault);
      requireRead(ref, ByteRange.whole(CHUNK), content);
      assertThat(proxy.requests("GET")).as("%s", fault).hasSize(2);
    }
  }

  /** The rule counts for the head and for the body of an answer together. */
  @Test
  void aReadMakesNoMoreAttemptsThanTheSettingAllows() throws Exception {
    byte[] content = content(CHUNK);
    BlobRef ref = store(content);
    try (S3TestServer twice =
        new S3TestServer(proxy.endpoint(), Map.of("prefix", prefix, "max-attempts", "2"))) {
      S3BlobStore own = twice.open();
      proxy.reset();
      proxy.plan(1, isGet(), new Fault.Refuse(503, "SlowDown"));
      proxy.plan(1, isGet(), new Fault.Truncate(10));
      assertThatExceptionOfType(StorageException.StorageUnavailable.class)
          .isThrownBy(() -> read(own, ref, ByteRange.whole(CHUNK)))
          .withMessageContaining("broke off at byte 10");
      assertThat(proxy.requests("GET")).hasSize(2);
      assertThat(read(own, ref, ByteRange.whole(CHUNK))).isEqualTo(content);
    }
  }

  @Test
  void aBodyThatIsCutGoesOnAtTheRightByte() throws Exception {
    byte[] content = content(3 * CHUNK);
    BlobRef ref = store(content);
    proxy.reset();
    proxy.plan(1, isGet(), new Fault.Truncate(1234));
    proxy.plan(1, isGet(), new Fault.Truncate(1));
    proxy.plan(1, isGet(), new Fault.Truncate(0));
    requireRead(ref, new ByteRange(100, CHUNK), content);
    assertThat(rangesAsked())
        .containsExactly(
            wire(new ByteRange(100, CHUNK)),
            wire(new ByteRange(1334, CHUNK - 1234)),
            wire(new ByteRange(1335, CHUNK - 1235)),
            wire(new ByteRange(1335, CHUNK - 1235)));
    assertThat(proxy.requests("GET"))
        .allSatisfy(get -> assertThat(get.field("If-Match")).isPresent());
  }

  @Test
  void aBodyThatIsResetGoesOn() throws Exception {
    byte[] content = content(8 * CHUNK);
    BlobRef ref = store(content);
    proxy.plan(5, isGet(), new Fault.Reset(1000));
    requireRead(ref, ByteRange.whole(content.length), content);
  }

  @Test
  void aBodyThatStallsGoesOnAfterTheReadTimeout() throws Exception {
    byte[] content = content(2 * CHUNK);
    BlobRef ref = store(content);
    try (S3TestServer impatient =
        new S3TestServer(proxy.endpoint(), Map.of("prefix", prefix, "read-timeout", "5s"))) {
      S3BlobStore own = impatient.open();
      proxy.reset();
      proxy.plan(1, isGet(), new Fault.Stall(500));
      assertThat(read(own, ref, ByteRange.whole(CHUNK))).isEqualTo(Arrays.copyOf(content, CHUNK));
      assertThat(rangesAsked())
          .containsExactly(wire(ByteRange.whole(CHUNK)), wire(new ByteRange(500, CHUNK - 500)));
    }
  }

  @Test
  void aBodyThatNeverComesWholeIsGivenUp() throws Exception {
    BlobRef ref = store(content(CHUNK));
    proxy.reset();
    proxy.plan(Integer.MAX_VALUE, isGet(), new Fault.Truncate(10));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> read(store, ref, ByteRange.whole(CHUNK)))
        .withMessageContaining(ref.key())
        .withMessageContaining("broke off");
    assertThat(proxy.requests("GET")).hasSize(ATTEMPTS);
  }

  @Test
  void slowDownAndServerErrorsAreTriedAgainAndThenGivenUp() throws Exception {
    byte[] content = content(CHUNK);
    BlobRef ref = store(content);
    for (Fault error :
        List.of(
            new Fault.Refuse(503, "SlowDown"),
            new Fault.Refuse(500, "InternalError"),
            new Fault.Refuse(502, "BadGateway"))) {
      proxy.reset();
      proxy.plan(ATTEMPTS - 1, isGet(), error);
      requireRead(ref, ByteRange.whole(CHUNK), content);
      assertThat(proxy.requests("GET")).hasSize(ATTEMPTS);
      proxy.reset();
      proxy.plan(Integer.MAX_VALUE, isGet(), error);
      assertThatExceptionOfType(StorageException.StorageUnavailable.class)
          .isThrownBy(() -> read(store, ref, ByteRange.whole(CHUNK)))
          .withMessageContaining(ref.key());
      assertThat(proxy.requests("GET")).hasSize(ATTEMPTS);
      proxy.recover();
      requireRead(ref, ByteRange.whole(CHUNK), content);
    }
  }

  @Test
  void anErrorInOneChunkFailsTheReadWithRightBytesBefore() throws Exception {
    byte[] content = content(20 * CHUNK);
    BlobRef ref = store(content);
    proxy.plan(Integer.MAX_VALUE, isGet().and(from(9L * CHUNK)), new Fault.Refuse(503, "SlowDown"));
    ByteBuffer received = ByteBuffer.allocate(content.length);
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> readInto(store, ref, ByteRange.whole(content.length), received));
    assertThat(Arrays.copyOf(received.array(), received.position()))
        .isEqualTo(Arrays.copyOf(content, received.position()));
    assertThat(received.position()).isLessThanOrEqualTo(9 * CHUNK);
  }

  @Test
  void aReplacedObjectIsNeverSpliced() throws Exception {
    byte[] content = content(20 * CHUNK);
    byte[] other = new byte[content.length];
    BlobRef ref = store(content);
    ByteBuffer received = ByteBuffer.allocate(content.length);
    try (RangeReader reader = store.blob(ref).open(ByteRange.whole(content.length))) {
      reader.read(received.limit(CHUNK));
      overwrite(ref, other);
      received.limit(content.length);
      assertThatExceptionOfType(StorageException.BlobCorrupt.class)
          .isThrownBy(() -> {
            while (reader.read(received) >= 0) {
              assertThat(received.position()).isPositive();
            }
          })
          .withMessageContaining("replaced")
          .satisfies(e -> assertThat(e.ref().key()).isEqualTo(ref.key()));
    }
    assertThat(Arrays.copyOf(received.array(), received.position()))
        .isEqualTo(Arrays.copyOf(content, received.position()));
  }

  @Test
  void anObjectOfAnotherLengthIsDamage() throws Exception {
    for (int length : new int[] {0, 10, CHUNK - 1, CHUNK + 1}) {
      BlobRef ref = store(content(CHUNK));
      overwrite(ref, new byte[length]);
      try (S3TestServer other = new S3TestServer(proxy.endpoint(), Map.of("prefix", prefix))) {
        S3BlobStore stranger = other.open();
        for (ByteRange range :
            List.of(
                ByteRange.whole(CHUNK),
                new ByteRange(0, 5),
                new ByteRange(CHUNK - 1, 1),
                new ByteRange(7, 0))) {
          assertThatExceptionOfType(StorageException.BlobCorrupt.class)
              .isThrownBy(() -> read(stranger, ref, range));
        }
      }
    }
  }

  @Test
  void anInterruptEndsAReadAtOnce() throws Exception {
    byte[] content = content(CHUNK);
    BlobRef ref = store(content);
    try (S3TestServer single =
        new S3TestServer(
            proxy.endpoint(),
            Map.of("prefix", prefix, "max-connections", "1", "read-timeout", "10m"))) {
      S3BlobStore narrow = single.open();
      proxy.reset();
      proxy.plan(1, isGet(), new Fault.Stall(100));
      ByteBuffer received = ByteBuffer.allocate(CHUNK);
      AtomicInteger count = new AtomicInteger();
      FutureTask<Void> reading =
          new FutureTask<>(() -> {
            try (RangeReader body = narrow.blob(ref).open(ByteRange.whole(CHUNK))) {
              while (body.read(received) >= 0) {
                count.set(received.position());
              }
            }
            return null;
          });
      Thread reader = Thread.ofVirtual().start(reading);
      // Earlier, between head and body, the SDK reads the rest of the answer before it gives up.
      await(() -> count.get() == 100);
      reader.interrupt();
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(() -> reading.get(1, TimeUnit.MINUTES))
          .withCauseInstanceOf(StorageException.StorageUnavailable.class);
      assertThat(read(narrow, ref, ByteRange.whole(CHUNK))).isEqualTo(content);
    }
  }
}
