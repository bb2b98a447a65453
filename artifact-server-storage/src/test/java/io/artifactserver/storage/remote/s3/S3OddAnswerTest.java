package io.artifactserver.storage.remote.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.testserver.FaultProxy.Fault;
import io.artifactserver.core.testserver.FaultProxy.Request;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Answers of a gateway that do not fit the request, while the object is the one that was stored.
 */
class S3OddAnswerTest extends S3FaultFixture {
  private static final int LENGTH = 2 * CHUNK;
  private static final ByteRange RANGE = new ByteRange(100, 1000);

  static Stream<Fault> oddAnswers() {
    return Stream.of(
        new Fault.Refuse(304, "NotModified"),
        new Fault.Refuse(404, "NoSuchKey"),
        new Fault.Refuse(410, "Gone"),
        new Fault.Refuse(412, "PreconditionFailed"),
        new Fault.Refuse(416, "InvalidRange"),
        new Fault.Whole(),
        new Fault.Field("Content-Range", "bytes 100-1099/" + (LENGTH + 1)),
        new Fault.Field("Content-Range", "bytes 101-1100/" + LENGTH),
        new Fault.Field("Content-Range", "bytes */" + LENGTH),
        new Fault.Field("Content-Range", "none"),
        new Fault.Field("Content-Length", "999"),
        new Fault.Field("ETag", "\"another\""));
  }

  @ParameterizedTest
  @MethodSource("oddAnswers")
  void oneCostsOneMoreRequest(Fault odd) throws Exception {
    byte[] content = content(LENGTH);
    BlobRef ref = store(content);
    proxy.reset();
    proxy.plan(1, isGet(), odd);
    requireRead(ref, RANGE, content);
    assertThat(rangesAsked()).containsExactly(wire(RANGE), wire(RANGE));
    assertThat(proxy.requests()).hasSize(2);
  }

  @ParameterizedTest
  @MethodSource("oddAnswers")
  void oneHeadClearsTheObjectWhenTheyStay(Fault odd) throws Exception {
    byte[] content = content(LENGTH);
    BlobRef ref = store(content);
    proxy.reset();
    proxy.plan(Integer.MAX_VALUE, isGet(), odd);
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> read(store, ref, RANGE))
        .withMessageContaining(ref.key());
    assertThat(proxy.requests("GET")).hasSize(ATTEMPTS);
    assertThat(proxy.requests("HEAD")).hasSize(1);
    proxy.recover();
    requireRead(ref, RANGE, content);
  }

  /** A gateway that answers so to all requests says nothing of the blob. */
  @Test
  void aHeadThatFailsClearsTheObjectToo() throws Exception {
    BlobRef ref = store(content(LENGTH));
    proxy.plan(Integer.MAX_VALUE, isGet(), new Fault.Refuse(416, "InvalidRange"));
    proxy.plan(Integer.MAX_VALUE, isHead(), new Fault.Refuse(503, "SlowDown"));
    proxy.reset();
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> read(store, ref, RANGE));
    assertThat(proxy.requests("HEAD")).hasSize(1);
  }

  @Test
  void aMissingObjectIsMissing() throws Exception {
    BlobRef ref = store(content(LENGTH));
    s3.client().deleteObject(r -> r.bucket("blobs").key(prefix + "/blobs/" + ref.key()));
    proxy.reset();
    assertThatExceptionOfType(StorageException.BlobNotFound.class)
        .isThrownBy(() -> read(store, ref, RANGE));
    assertThat(proxy.requests("GET")).hasSize(ATTEMPTS);
    assertThat(proxy.requests("HEAD")).hasSize(1);
  }

  @Test
  void aMissingBucketSaysNothingOfTheBlob() throws Exception {
    BlobRef ref = store(content(LENGTH));
    proxy.plan(Integer.MAX_VALUE, isGet(), new Fault.Refuse(404, "NoSuchBucket"));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> read(store, ref, RANGE))
        .withMessageContaining("there is no bucket");
  }

  /** Whether there is a blob is asked with a HEAD where there is no byte to ask for. */
  @Test
  void anEmptyRangeIsAskedForAgain() throws Exception {
    BlobRef ref = store(content(LENGTH));
    for (Fault odd :
        new Fault[] {
          new Fault.Refuse(404, "NoSuchKey"),
          new Fault.Field("Content-Length", "7"),
          new Fault.Field("ETag", "\"another\"")
        }) {
      proxy.reset();
      proxy.plan(1, isHead(), odd);
      requireRead(ref, new ByteRange(7, 0), content(LENGTH));
      assertThat(proxy.requests("HEAD")).as("%s", odd).hasSize(2);
    }
  }

  @Test
  void theAttemptsOfARangeAreThoseOfItsReads() throws Exception {
    byte[] content = content(LENGTH);
    BlobRef ref = store(content);
    try (S3TestServer twice =
        new S3TestServer(proxy.endpoint(), Map.of("prefix", prefix, "max-attempts", "2"))) {
      S3BlobStore own = twice.open();
      proxy.plan(1, isGet(), new Fault.Truncate(10));
      proxy.plan(1, isGet(), new Fault.Refuse(416, "InvalidRange"));
      proxy.reset();
      assertThatExceptionOfType(StorageException.StorageUnavailable.class)
          .isThrownBy(() -> read(own, ref, RANGE));
      assertThat(proxy.requests("GET")).hasSize(2);
      assertThat(read(own, ref, RANGE)).hasSize(1000);
    }
  }

  /** The tag of a repaired object is another one. */
  @Test
  void aRepairedObjectIsReadByOriginalsAtOnceAndByOthersOnceTheyForgot() throws Exception {
    byte[] content = content(LENGTH);
    BlobRef ref = store(content);
    overwrite(ref, new byte[LENGTH]);
    assertThatExceptionOfType(StorageException.BlobCorrupt.class)
        .isThrownBy(() -> read(store, ref, RANGE));
    assertThat(read((S3BlobStore) store.originals(), ref, RANGE)).containsOnly(0);
    store.forgetCopies(ref);
    assertThat(read(store, ref, RANGE)).containsOnly(0);
    overwrite(ref, content);
    assertThatExceptionOfType(StorageException.BlobCorrupt.class)
        .isThrownBy(() -> read(store, ref, RANGE));
    store.forgetCopies(ref);
    requireRead(ref, RANGE, content);
  }

  @SuppressWarnings("UnnecessaryLambda") // Reads as a condition.
  private static Predicate<Request> isHead() {
    return request -> request.method().equals("HEAD");
  }
}
