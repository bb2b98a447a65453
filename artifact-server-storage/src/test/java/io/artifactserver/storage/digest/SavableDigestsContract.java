package io.artifactserver.storage.digest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.MultiDigester;
import io.artifactserver.core.digest.SavableDigests;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Every kind of digests whose states can be saved proves itself here. */
abstract class SavableDigestsContract {
  private final SavableDigests digests = digests();

  abstract SavableDigests digests();

  /** Around the block lengths of 64 and 128 bytes, where states differ in kind. */
  @Test
  void digestsGoOnWhereverTheyAreSaved() {
    byte[] content = new byte[1_000];
    new Random(1).nextBytes(content);
    for (int length : new int[] {0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 999, 1_000}) {
      MultiDigester before = new MultiDigester(Runnable::run, digests::begin);
      before.update(ByteBuffer.wrap(content, 0, length)).join();
      byte[] saved = before.save(digests);
      assertThat(saved).hasSizeLessThan(2_000);
      // The one that was saved goes on, too.
      MultiDigester after = MultiDigester.resume(Runnable::run, digests, saved);
      ByteBuffer rest = ByteBuffer.wrap(content, length, content.length - length);
      before.update(rest).join();
      after.update(rest).join();
      for (MultiDigester each : new MultiDigester[] {before, after}) {
        var computed = each.digests();
        for (DigestAlgorithm algorithm : DigestAlgorithm.values()) {
          assertThat(computed.get(algorithm))
              .as("%s saved at %d", algorithm, length)
              .contains(Digest.of(algorithm, algorithm.newMessageDigest().digest(content)));
        }
      }
    }
  }

  @Test
  void somethingElseIsNoState() {
    byte[] saved = new MultiDigester(Runnable::run, digests::begin).save(digests);
    for (byte[] wrong :
        new byte[][] {{}, {1}, {4, 's', 'h', 'a', '1'}, Arrays.copyOf(saved, saved.length / 2)}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> MultiDigester.resume(Runnable::run, digests, wrong));
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> digests.resume(DigestAlgorithm.SHA_256, new byte[] {1, 2, 3}));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> digests.save(DigestAlgorithm.MD5.newMessageDigest()));
  }
}
