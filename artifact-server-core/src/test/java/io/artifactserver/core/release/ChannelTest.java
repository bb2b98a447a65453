package io.artifactserver.core.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.catalog.InvalidNameException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChannelTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "@stable", "a/b", ".hidden", "a b"})
  void aNameThatIsNoneIsRefused(String name) {
    assertThat(Channel.isName(name)).isFalse();
    assertThatThrownBy(() -> new Channel("boards", name)).isInstanceOf(InvalidNameException.class);
  }
}
