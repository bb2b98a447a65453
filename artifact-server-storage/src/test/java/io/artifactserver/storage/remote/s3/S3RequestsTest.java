package io.artifactserver.storage.remote.s3;

import static io.artifactserver.core.waiting.Throughout.throughout;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.testserver.FaultProxy.Fault;
import io.artifactserver.core.testserver.FaultProxy.Request;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Exactly which requests go out when nothing fails. */
class S3RequestsTest extends S3FaultFixture {
  @Test
  void aRangeUpToAChunkIsOneGetOfItsBytes() throws Exception {
    byte[] content = content(3 * CHUNK);
    BlobRef ref = store(content);
    for (ByteRange range :
        List.of(
            new ByteRange(0, 1),
            new ByteRange(10, 1000),
            new ByteRange(CHUNK - 5, CHUNK),
            new ByteRange(content.length - 1, 1))) {
      proxy.reset();
      requireRead(ref, range, content);
      assertThat(rangesAsked()).containsExactly(wire(range));
      assertThat(proxy.requests()).hasSize(1);
      assertThat(proxy.bodyBytes()).isEqualTo(range.length());
    }
  }

  @Test
  void aLongRangeIsItsChunksAndNoMoreThanTheWindowAtOnce() throws Exception {
    byte[] content = content(11 * CHUNK + 77);
    BlobRef ref = store(content);
    ByteRange range = new ByteRange(CHUNK / 2, 10L * CHUNK + 5);
    proxy.reset();
    proxy.plan(Integer.MAX_VALUE, isGet(), new Fault.Delay(20));
    requireRead(ref, range, content);
    List<String> expected = new ArrayList<>();
    for (long position = range.position(); position < range.end(); position += CHUNK) {
      expected.add(wire(new ByteRange(position, Math.min(CHUNK, range.end() - position))));
    }
    assertThat(rangesAsked()).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(proxy.bodyBytes()).isEqualTo(range.length());
    assertThat(proxy.peakInFlight()).isBetween(2, WINDOW);
  }

  @Test
  void anEmptyRangeAsksWhetherThereIsABlob() throws Exception {
    BlobRef ref = store(content(10));
    proxy.reset();
    requireRead(ref, new ByteRange(3, 0), new byte[0]);
    assertThat(proxy.requests().stream().map(Request::method)).containsExactly("HEAD");
  }

  @Test
  void everyGetButAStrangersFirstIsPinnedToTheEntityTag() throws Exception {
    byte[] content = content(5 * CHUNK);
    BlobRef ref = store(content);
    proxy.reset();
    requireRead(ref, ByteRange.whole(100), content);
    String tag = proxy.requests("GET").getFirst().field("If-Match").orElseThrow();
    assertThat(tag).startsWith("\"").endsWith("\"");
    try (S3TestServer other = new S3TestServer(proxy.endpoint(), Map.of("prefix", prefix))) {
      S3BlobStore stranger = other.open();
      proxy.reset();
      read(stranger, ref, ByteRange.whole(100));
      read(stranger, ref, ByteRange.whole(content.length));
      List<Request> gets = proxy.requests("GET");
      assertThat(gets.getFirst().field("If-Match")).isEmpty();
      assertThat(gets.subList(1, gets.size()))
          .hasSize(5)
          .allSatisfy(get -> assertThat(get.field("If-Match")).contains(tag));
    }
  }

  @Test
  void aReaderThatStopsStopsTheFetching() throws Exception {
    byte[] content = content(40 * CHUNK);
    BlobRef ref = store(content);
    proxy.reset();
    try (RangeReader reader = store.blob(ref).open(ByteRange.whole(content.length))) {
      assertThat(reader.read(ByteBuffer.allocate(10))).isEqualTo(10);
      await(() -> proxy.requests("GET").size() >= WINDOW);
      requireNoMoreThanTheWindow();
    }
    requireNoMoreThanTheWindow();
  }

  private void requireNoMoreThanTheWindow() throws InterruptedException {
    throughout(
        Duration.ofMillis(300),
        () -> assertThat(proxy.requests("GET")).hasSizeLessThanOrEqualTo(WINDOW + 1));
  }

  @Test
  void anAbandonedReaderCancelsWhatIsUnderWayAndGivesItsConnectionsBack() throws Exception {
    byte[] content = content(40 * CHUNK);
    BlobRef ref = store(content);
    CountDownLatch held = new CountDownLatch(1);
    try (S3TestServer few =
        new S3TestServer(
            proxy.endpoint(), Map.of("prefix", prefix, "max-connections", "" + WINDOW))) {
      S3BlobStore narrow = few.open();
      for (int i = 0; i < 5; i++) {
        proxy.reset();
        proxy.plan(Integer.MAX_VALUE, isGet().and(from(CHUNK)), new Fault.Hold(held));
        try (RangeReader reader = narrow.blob(ref).open(ByteRange.whole(content.length))) {
          assertThat(reader.read(ByteBuffer.allocate(CHUNK))).isPositive();
        }
        await(() -> few.budgetUsed() == 0);
        proxy.recover();
      }
      assertThat(read(narrow, ref, ByteRange.whole(content.length))).isEqualTo(content);
    } finally {
      held.countDown();
    }
  }

  @Test
  void aSmallBlobIsOnePutUnderACondition() throws Exception {
    proxy.reset();
    store(content(PART - 1));
    List<Request> requests = proxy.requests();
    assertThat(requests.stream().map(Request::method)).containsExactly("PUT", "HEAD");
    assertThat(requests.getFirst().field("If-None-Match")).contains("*");
    assertThat(requests.getFirst().field("x-amz-checksum-crc32c")).isPresent();
  }

  @Test
  void aLargerBlobGoesInPartsEachWithItsChecksum() throws Exception {
    byte[] content = content(2 * PART + 1);
    proxy.reset();
    BlobRef ref = store(content);
    List<Request> requests = proxy.requests();
    assertThat(requests.stream().map(Request::method))
        .containsExactlyInAnyOrder("POST", "PUT", "PUT", "PUT", "POST", "HEAD");
    assertThat(requests.getFirst().target()).contains("uploads");
    List<Request> parts = proxy.requests("PUT");
    assertThat(parts)
        .allSatisfy(part -> {
          assertThat(part.target()).contains("partNumber=").contains("uploadId=");
          assertThat(part.field("x-amz-checksum-crc32c")).isPresent();
        });
    assertThat(proxy.requests("POST").getLast().field("If-None-Match")).contains("*");
    assertThat(proxy.peakInFlight()).isLessThanOrEqualTo(WINDOW);
    requireRead(ref, ByteRange.whole(content.length), content);
  }

  @Test
  void noMorePartsThanTheWindowAreUnderWay() throws Exception {
    byte[] content = content(7 * PART);
    proxy.reset();
    proxy.plan(Integer.MAX_VALUE, isPut(), new Fault.Delay(100));
    BlobRef ref = store(content);
    assertThat(proxy.peakInFlight()).isBetween(2, WINDOW);
    requireRead(ref, new ByteRange(content.length - 10, 10), content);
  }
}
