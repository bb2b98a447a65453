package io.artifactserver.rest.api.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RefusalsTest {
  private final AtomicLong time = new AtomicLong(-5);
  private final Refusals refusals = new Refusals(time::get);

  private boolean refuse(String caller, String method, int status, String path) {
    return refusals.isFirst(caller, method, status, new HashMap<>(Map.of("path", path)));
  }

  @Test
  void theFirstIsWrittenAndTheRestIsCounted() {
    assertThat(refuse("a", "DELETE", 403, "/1")).isTrue();
    assertThat(refuse("a", "DELETE", 403, "/2")).isFalse();
    assertThat(refuse("a", "DELETE", 403, "/3")).isFalse();
    assertThat(refuse("a", "DELETE", 404, "/4")).isTrue();
    assertThat(refuse("a", "PUT", 403, "/5")).isTrue();
    assertThat(refuse("b", "DELETE", 403, "/6")).isTrue();
    time.addAndGet(Refusals.MINUTE.toNanos() - 1);
    assertThat(refusals.end(false)).isEmpty();
    time.incrementAndGet();
    assertThat(refusals.end(false)).isEqualTo(List.of(Map.of("path", "/3", "more", 2L)));
    assertThat(refuse("a", "DELETE", 403, "/7")).isTrue();
  }

  @Test
  void theEndWritesWhatWasCounted() {
    refuse("a", "DELETE", 403, "/1");
    refuse("a", "DELETE", 403, "/2");
    assertThat(refusals.end(true)).isEqualTo(List.of(Map.of("path", "/2", "more", 1L)));
    assertThat(refusals.end(true)).isEmpty();
  }

  @Test
  void aCallerHasSoManyKinds() {
    int written = 0;
    for (int status = 400; status < 500; status++) {
      for (String method : List.of("PUT", "BREW", "WHEN", "x".repeat(1000))) {
        written += refuse("a", method, status, "/") ? 1 : 0;
      }
    }
    assertThat(written).isEqualTo(Refusals.MAX_KINDS + 1);
    assertThat(refusals.end(true)).hasSizeLessThanOrEqualTo(Refusals.MAX_KINDS + 1);
    assertThat(refuse("b", "PUT", 403, "/")).isTrue();
  }
}
