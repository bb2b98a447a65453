package io.artifactserver.core.digest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MultiDigesterTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 55, 56, 63, 64, 65, 127, 128, 129, 8191, 8192, 8193, 1_000_003})
  void agreesWithEveryMessageDigest(int length) {
    byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    try (ExecutorService executor = Executors.newFixedThreadPool(3)) {
      for (int piece : new int[] {1021, 64 * 1024, Math.max(1, length)}) {
        MultiDigester digester = new MultiDigester(executor);
        for (int position = 0; position < length; position += piece) {
          ByteBuffer bytes = ByteBuffer.wrap(content, position, Math.min(piece, length - position));
          digester.update(bytes).join();
          assertThat(bytes.position()).isEqualTo(position);
        }
        Digests digests = digester.digests();
        for (DigestAlgorithm algorithm : DigestAlgorithm.values()) {
          assertThat(digests.get(algorithm))
              .contains(Digest.of(algorithm, algorithm.newMessageDigest().digest(content)));
        }
      }
    }
  }

  @Test
  void takesDirectAndReadOnlyBuffers() {
    byte[] content = {1, 2, 3, 4, 5};
    ByteBuffer direct = ByteBuffer.allocateDirect(5).put(content).flip();
    MultiDigester ofDirect = new MultiDigester(Runnable::run);
    ofDirect.update(direct).join();
    MultiDigester ofReadOnly = new MultiDigester(Runnable::run);
    ofReadOnly.update(ByteBuffer.wrap(content).asReadOnlyBuffer()).join();
    assertThat(ofDirect.digests()).isEqualTo(ofReadOnly.digests());
  }
}
