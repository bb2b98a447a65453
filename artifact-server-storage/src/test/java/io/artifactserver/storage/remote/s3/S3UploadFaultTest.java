package io.artifactserver.storage.remote.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.testserver.FaultProxy.Fault;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Uploads whose requests or answers are lost or refused. */
class S3UploadFaultTest extends S3FaultFixture {
  @Test
  void aPartThatIsLostIsSentAgain() throws Exception {
    byte[] content = content(3 * PART);
    proxy.plan(1, isPut(), new Fault.Reset(0));
    proxy.plan(1, isPut(), new Fault.Refuse(503, "SlowDown"));
    proxy.plan(1, isPut(), new Fault.Refuse(500, "InternalError"));
    BlobRef ref = store(content);
    requireRead(ref, ByteRange.whole(content.length), content);
  }

  @Test
  void anUploadThatFailsLeavesNothing() throws Exception {
    proxy.plan(Integer.MAX_VALUE, isPut(), new Fault.Refuse(500, "InternalError"));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> store(content(3 * PART)));
    assertThat(proxy.requests("DELETE")).hasSize(1);
    requireNothingLeft();
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> store(content(10)));
    proxy.recover();
    requireNothingLeft();
  }

  @Test
  void aFullServerIsSaidToBeFull() throws Exception {
    proxy.plan(Integer.MAX_VALUE, isPut(), new Fault.Refuse(507, "InsufficientStorage"));
    assertThatExceptionOfType(StorageException.StorageFull.class)
        .isThrownBy(() -> store(content(10)));
  }

  @Test
  void anAnswerThatIsLostDoesNotLoseTheBlob() throws Exception {
    byte[] large = content(PART + 1);
    proxy.plan(1, completes(), new Fault.Reset(0));
    requireRead(store(large), ByteRange.whole(large.length), large);
    byte[] small = content(1000);
    proxy.plan(1, isPut(), new Fault.Reset(0));
    requireRead(store(small), ByteRange.whole(small.length), small);
  }

  @Test
  void anAnswerThatBreaksOffAfterItsHeadDoesNotLoseTheBlob() throws Exception {
    byte[] large = content(PART + 1);
    proxy.plan(1, completes(), new Fault.Truncate(0));
    requireRead(store(large), ByteRange.whole(large.length), large);
  }

  @Test
  void anAnswerThatBreaksOffForAnUnknownBlobIsAnOutage() throws Exception {
    proxy.plan(1, completes(), new Fault.Truncate(0));
    proxy.plan(
        Integer.MAX_VALUE, request -> request.method().equals("HEAD"), new Fault.Refuse(404, ""));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> store(content(PART + 1)))
        .withMessageContaining("broke off");
  }

  @Test
  void aBlobWhoseCommitCannotBeVerifiedIsTakenBack() throws Exception {
    proxy.plan(ATTEMPTS, request -> request.method().equals("HEAD"), new Fault.Refuse(500, ""));
    assertThatExceptionOfType(StorageException.StorageUnavailable.class)
        .isThrownBy(() -> store(content(1000)));
    requireNothingLeft();
  }

  @Test
  void aServerThatDoesNotKnowTheConditionIsUsedWithout() throws Exception {
    byte[] content = content(1000);
    for (String code : List.of("NotImplemented", "InvalidArgument")) {
      try (S3TestServer settings = new S3TestServer(proxy.endpoint(), Map.of("prefix", prefix))) {
        S3BlobStore fresh = settings.open();
        proxy.reset();
        proxy.plan(
            Integer.MAX_VALUE,
            request -> request.field("If-None-Match").isPresent(),
            new Fault.Refuse(code.equals("NotImplemented") ? 501 : 400, code));
        BlobRef first = store(fresh, BlobRef.newKey(), content);
        BlobRef second = store(fresh, BlobRef.newKey(), content);
        assertThat(read(fresh, first, ByteRange.whole(content.length))).isEqualTo(content);
        assertThat(
                proxy.requests("PUT").stream()
                    .filter(request -> request.field("If-None-Match").isPresent()))
            .hasSize(1);
        assertThatExceptionOfType(StorageException.class)
            .isThrownBy(() -> store(fresh, second.key(), new byte[5]));
        assertThat(read(fresh, second, ByteRange.whole(content.length))).isEqualTo(content);
        proxy.recover();
      }
    }
  }
}
