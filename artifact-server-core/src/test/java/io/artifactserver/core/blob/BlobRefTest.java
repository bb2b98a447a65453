package io.artifactserver.core.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlobRefTest {
  private static final String KEY = "0123456789abcdef0123456789abcdef";

  @Test
  void takesKeysAndLengths() {
    assertThat(BlobRef.isKey(KEY)).isTrue();
    assertThat(new BlobRef(KEY, 0)).isEqualTo(new BlobRef(KEY, 0));
    assertThat(new BlobRef(KEY, Long.MAX_VALUE).length()).isEqualTo(Long.MAX_VALUE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0123456789abcdef0123456789abcde",
        "0123456789abcdef0123456789abcdef0",
        "0123456789ABCDEF0123456789abcdef",
        "../../../../../../../../etc/passw",
        "0123456789abcdef0123456789abcde/",
        "0123456789abcdef0123456789abcde\n",
        "\u0660123456789abcdef0123456789abcde"
      })
  void refusesWhatIsNoKey(String key) {
    assertThat(BlobRef.isKey(key)).isFalse();
    assertThatIllegalArgumentException().isThrownBy(() -> new BlobRef(key, 1));
  }

  @Test
  void refusesANegativeLength() {
    assertThatIllegalArgumentException().isThrownBy(() -> new BlobRef(KEY, -1));
  }
}
