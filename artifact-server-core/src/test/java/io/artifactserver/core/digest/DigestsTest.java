package io.artifactserver.core.digest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DigestsTest {
  private static final Digest MD5 =
      new Digest(DigestAlgorithm.MD5, "d41d8cd98f00b204e9800998ecf8427e");
  private static final Digest SHA_256 =
      new Digest(
          DigestAlgorithm.SHA_256,
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "d41d8cd98f00b204e9800998ecf8427",
        "d41d8cd98f00b204e9800998ecf8427e0",
        "D41D8CD98F00B204E9800998ECF8427E",
        "g41d8cd98f00b204e9800998ecf8427e",
        "d41d8cd98f00b204 9800998ecf8427e"
      })
  void refusesWhatIsNoDigest(String hex) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Digest(DigestAlgorithm.MD5, hex))
        .withMessageContaining("MD5 takes 32");
  }

  @Test
  void refusesAnotherAlgorithmsValue() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Digest.of(DigestAlgorithm.SHA_1, new byte[16]));
  }

  @Test
  void showsItsValueInEveryForm() {
    assertThat(MD5.base64()).isEqualTo("1B2M2Y8AsgTpgAmY7PhCfg==");
    assertThat(MD5.toString()).isEqualTo("md5:d41d8cd98f00b204e9800998ecf8427e");
    assertThat(Digest.of(DigestAlgorithm.MD5, MD5.bytes())).isEqualTo(MD5);
    MD5.bytes()[0] = 0;
    assertThat(MD5.bytes()[0]).isEqualTo((byte) 0xd4);
  }

  @Test
  void digestsHaveSha256() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Digests(Map.of(DigestAlgorithm.MD5, MD5)));
    assertThatIllegalArgumentException().isThrownBy(() -> new Digests(Map.of()));
  }

  @Test
  void digestsStandUnderTheirOwnAlgorithm() {
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            new Digests(Map.of(DigestAlgorithm.SHA_256, SHA_256, DigestAlgorithm.SHA_512, SHA_256)))
        .withMessageContaining("SHA_512");
  }

  @Test
  void digestsAreCopiedIn() {
    Map<DigestAlgorithm, Digest> values = new HashMap<>(Map.of(DigestAlgorithm.SHA_256, SHA_256));
    Digests digests = new Digests(values);
    values.put(DigestAlgorithm.MD5, MD5);
    assertThat(digests.get(DigestAlgorithm.MD5)).isEmpty();
    assertThat(digests.sha256()).isEqualTo(SHA_256);
  }
}
