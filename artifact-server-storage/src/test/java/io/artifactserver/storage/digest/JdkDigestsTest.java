package io.artifactserver.storage.digest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.MultiDigester;
import io.artifactserver.core.digest.SavableDigests;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The tests' JVM has the package open, as the program's manifest has it. */
class JdkDigestsTest extends SavableDigestsContract {
  @Override
  SavableDigests digests() {
    return JdkDigests.find(new BouncyCastleDigests()).orElseThrow();
  }

  /** A server that was started without the launcher left it. */
  @Test
  void aStateOfOthersGoesOn() {
    SavableDigests others = new BouncyCastleDigests();
    byte[] content = new byte[1_000];
    MultiDigester before = new MultiDigester(Runnable::run, others::begin);
    before.update(ByteBuffer.wrap(content, 0, 500)).join();
    MultiDigester after = MultiDigester.resume(Runnable::run, digests(), before.save(others));
    after.update(ByteBuffer.wrap(content, 500, 500)).join();
    byte[] again = after.save(digests());
    assertThat(MultiDigester.resume(Runnable::run, digests(), again).digests().sha256())
        .isEqualTo(
            Digest.of(
                DigestAlgorithm.SHA_256,
                DigestAlgorithm.SHA_256.newMessageDigest().digest(content)));
  }

  @Test
  void aStateThatIsCutOffIsNone() {
    SavableDigests digests = digests();
    byte[] state = digests.save(digests.begin(DigestAlgorithm.SHA_512));
    byte[] cut = Arrays.copyOf(state, state.length - 1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> digests.resume(DigestAlgorithm.SHA_512, cut));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> digests.resume(DigestAlgorithm.SHA_512, new byte[] {'J', 1}));
  }
}
