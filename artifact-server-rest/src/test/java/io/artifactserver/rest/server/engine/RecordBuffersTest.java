package io.artifactserver.rest.server.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Large buffers, as many as there are places. */
class RecordBuffersTest {
  private static final int PACKET_LENGTH = engine().getPacketBufferSize();

  private final ArrayByteBufferPool.Tracking pool = new ArrayByteBufferPool.Tracking();
  private final RecordBuffers buffers = new RecordBuffers(pool, 2);

  @Test
  void whoComesTooLateGetsRoomForOneRecord() {
    List<RetainableByteBuffer> taken = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      taken.add(buffers.acquire(PACKET_LENGTH, true));
    }
    assertThat(taken.get(0).capacity()).isEqualTo(RecordBuffers.LENGTH);
    assertThat(taken.get(1).capacity()).isEqualTo(RecordBuffers.LENGTH);
    assertThat(taken.get(2).capacity()).isBetween(PACKET_LENGTH, RecordBuffers.LENGTH / 2);
    taken.forEach(RetainableByteBuffer::release);
    assertThat(pool.getLeaks()).isEmpty();
  }

  @Test
  void aPlaceComesBackWithTheLastReleaseOnly() {
    RetainableByteBuffer held = buffers.acquire(PACKET_LENGTH, true);
    held.retain();
    buffers.acquire(PACKET_LENGTH, true);

    assertThat(held.release()).isFalse();
    assertThat(buffers.acquire(PACKET_LENGTH, true).capacity()).isLessThan(RecordBuffers.LENGTH);
    assertThat(held.release()).isTrue();
    assertThat(buffers.acquire(PACKET_LENGTH, true).capacity()).isEqualTo(RecordBuffers.LENGTH);
  }

  /** Decrypted bytes wait for the program, and several records would not help it. */
  @Test
  void decryptedRecordsGetNoLargeBuffer() {
    int length = engine().getApplicationBufferSize();
    assertThat(buffers.acquire(length, false).capacity()).isBetween(length, length + 4_095);
  }

  private static SSLSession engine() {
    try {
      return SSLContext.getDefault().createSSLEngine().getSession();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1_024, 16 * 1024, RecordBuffers.LENGTH, 100_000})
  void otherLengthsAreAsAskedFor(int length) {
    for (int i = 0; i < 3; i++) {
      assertThat(buffers.acquire(length, false).capacity()).isBetween(length, length + 4_095);
    }
    assertThat(buffers.acquire(PACKET_LENGTH, true).capacity()).isEqualTo(RecordBuffers.LENGTH);
  }
}
