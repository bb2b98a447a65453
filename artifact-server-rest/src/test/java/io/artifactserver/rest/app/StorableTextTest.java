package io.artifactserver.rest.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.json.JsonMapper;

class StorableTextTest {
  private final JsonMapper mapper =
      JsonMapper.builder().addModule(new WebConfiguration().storableText()).build();

  private record Body(String name, List<String> paths) {}

  @Test
  void keepsEveryOtherText() {
    assertThat(mapper.readValue("{\"name\": \"a\\u0001ä\", \"paths\": [\"b\"]}", Body.class))
        .isEqualTo(new Body("a\u0001ä", List.of("b")));
    assertThat(mapper.readValue("{\"name\": null}", Body.class).name()).isNull();
  }

  @Test
  void refusesNul() {
    for (String body : List.of("{\"name\": \"a\\u0000b\"}", "{\"paths\": [\"a\", \"\\u0000\"]}")) {
      assertThatExceptionOfType(InvalidFormatException.class)
          .isThrownBy(() -> mapper.readValue(body, Body.class))
          .withMessageContaining("U+0000");
    }
  }
}
