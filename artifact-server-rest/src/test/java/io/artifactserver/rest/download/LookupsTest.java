package io.artifactserver.rest.download;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LookupsTest {
  private static final String GREEDY = "greedy";
  private static final String MODEST = "modest";

  private final Lookups lookups = new Lookups("lookup-", 1, 4, 3);
  private final CountDownLatch database = new CountDownLatch(1);

  @AfterEach
  void close() {
    lookups.close();
  }

  @Test
  void aClientHasItsShareAndOthersTheRest() {
    for (int i = 0; i < 3; i++) {
      assertThat(lookups.run(GREEDY, this::ask)).isTrue();
    }
    assertThat(lookups.run(GREEDY, this::ask)).isFalse();
    assertThat(lookups.run(MODEST, this::ask)).isTrue();
    assertThat(lookups.run(null, this::ask)).isTrue();
    assertThat(lookups.run(MODEST, this::ask)).as("five wait or run").isFalse();
  }

  @Test
  void whoWasAnsweredMayAskAgain() throws InterruptedException {
    CountDownLatch ran = new CountDownLatch(3);
    for (int i = 0; i < 3; i++) {
      assertThat(
              lookups.run(
                  GREEDY,
                  () -> {
                    ask();
                    ran.countDown();
                  }))
          .isTrue();
    }
    assertThat(lookups.run(GREEDY, this::ask)).isFalse();
    database.countDown();
    ran.await();
    eventually("it may ask again", () -> lookups.run(GREEDY, this::ask));
  }

  private void ask() {
    try {
      database.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
