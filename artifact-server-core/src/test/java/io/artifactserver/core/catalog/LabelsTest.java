package io.artifactserver.core.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LabelsTest {
  private static final Labels LABELS = Labels.of(Map.of("ring", "canary", "a.b-c", "x=y, z"));

  @Test
  void readsWhatItWrote() {
    assertThat(LABELS.texts()).containsExactly("a.b-c=x=y, z", "ring=canary");
    assertThat(Labels.parse(LABELS.texts())).isEqualTo(LABELS);
    assertThat(Labels.parse(Labels.NONE.texts())).isEqualTo(Labels.NONE);
    assertThatExceptionOfType(InvalidNameException.class)
        .isThrownBy(() -> Labels.parse(List.of("ring")));
  }

  @Test
  void allOfTheOthersMustBeThere() {
    assertThat(LABELS.include(Labels.NONE)).isTrue();
    assertThat(LABELS.include(Labels.of(Map.of("ring", "canary")))).isTrue();
    assertThat(LABELS.include(Labels.of(Map.of("ring", "field")))).isFalse();
    assertThat(LABELS.include(Labels.of(Map.of("ring", "canary", "site", "")))).isFalse();
    assertThat(Labels.NONE.include(LABELS)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-a", ".a", "a b", "a=b", "\u00e4", "a\u0000"})
  void noKeyHasAnotherForm(String key) {
    assertThatExceptionOfType(InvalidNameException.class)
        .isThrownBy(() -> Labels.of(Map.of(key, "")))
        .withMessageContaining("The key of a label is");
  }

  @Test
  void thereAreBounds() {
    Map<String, @Nullable String> many = new HashMap<>();
    for (int i = 0; i < Labels.MAX_LABELS; i++) {
      many.put("k" + i, "<b>\u202e" + "v".repeat(Labels.MAX_VALUE_LENGTH - 4));
    }
    assertThat(Labels.of(many).texts()).hasSize(Labels.MAX_LABELS);
    many.put("one-more", "");
    assertThatExceptionOfType(InvalidNameException.class).isThrownBy(() -> Labels.of(many));
    for (String value : new String[] {"a\nb", "\u0000", "v".repeat(Labels.MAX_VALUE_LENGTH + 1)}) {
      assertThatExceptionOfType(InvalidNameException.class)
          .isThrownBy(() -> Labels.of(Map.of("ring", value)))
          .withMessageContaining("\"ring\"");
    }
    many.clear();
    many.put("ring", null);
    assertThatExceptionOfType(InvalidNameException.class)
        .isThrownBy(() -> Labels.of(many))
        .withMessageContaining("has no value");
    assertThat(Labels.of(Map.of("k".repeat(63), "")).isEmpty()).isFalse();
    assertThatExceptionOfType(InvalidNameException.class)
        .isThrownBy(() -> Labels.of(Map.of("k".repeat(64), "")));
  }
}
