package io.artifactserver.rest.api.events;

import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter.SseEventBuilder;

class EventStreamsTest {
  private final EventStreams<String, Integer> streams =
      new EventStreams<>("test", new EventStreams.Bounds(3, 2, 2));

  private final List<Integer> told = new CopyOnWriteArrayList<>();
  private final CountDownLatch held = new CountDownLatch(1);

  @BeforeEach
  void start() {
    streams.start();
  }

  @AfterEach
  void stop() {
    streams.stop();
  }

  @Test
  void oneCallerLeavesRoomForOthers() throws Exception {
    assertThat(isOpened("one", () -> true)).isTrue();
    assertThat(isOpened("one", () -> true)).isTrue();
    assertThat(isOpened("one", () -> true)).isFalse();
    assertThat(isOpened("other", () -> true)).isTrue();
    assertThat(isOpened("third", () -> true)).as("of all places").isFalse();
    assertThat(streams.subjects()).containsExactly("subject");
  }

  @Test
  void aClientThatMayNotFollowAnyMoreIsToldNothing() throws Exception {
    streams.open(
        "subject",
        new Follower("one", () -> false, () -> {}),
        () -> SseEmitter.event().comment("begin"),
        news -> {
          told.add(news);
          return SseEmitter.event();
        });
    streams.tell("subject", "a", 1);
    ends();
    assertThat(told).isEmpty();
  }

  @Test
  void aClientThatIsTooSlowHasToComeAgain() throws Exception {
    openSlow();
    streams.tell("other", "a", 7);
    streams.tell("subject", "b", 2);
    streams.tell("subject", "b", 3);
    streams.tell("subject", "c", 4);
    streams.tell("subject", "d", 5);
    held.countDown();
    ends();
    assertThat(told).as("what it was told before").containsExactly(1);
  }

  @Test
  void ofEachThingTheLatestIsTold() throws Exception {
    openSlow();
    streams.tell("subject", "b", 2);
    streams.tell("subject", "a", 3);
    streams.tell("subject", "b", 4);
    held.countDown();
    eventuallyPasses("it is told", () -> assertThat(told).containsExactly(1, 4, 3));
  }

  /** The stream's thread waits for its client, as behind a full connection, with a first news. */
  private void openSlow() throws InterruptedException {
    CountDownLatch asked = new CountDownLatch(1);
    streams.open(
        "subject",
        new Follower(
            "one",
            () -> {
              asked.countDown();
              await(held);
              return true;
            },
            () -> {}),
        () -> SseEmitter.event().comment("begin"),
        news -> {
          told.add(news);
          return event(news);
        });
    streams.tell("subject", "a", 1);
    asked.await();
  }

  /** Without a database nobody knows what to tell; the client comes again. */
  @Test
  void withoutTheDatabaseAStreamEnds() throws Exception {
    assertThat(
            isOpened(
                "one",
                () -> {
                  throw new CatalogUnavailableException("away", new IllegalStateException());
                }))
        .isTrue();
    streams.tell("subject", "a", 1);
    ends();
  }

  @Test
  void aServerThatStopsEndsAllAndTakesNoMore() throws Exception {
    assertThat(isOpened("one", () -> true)).isTrue();
    streams.stop();
    ends();
    assertThat(isOpened("one", () -> true)).isFalse();
  }

  private boolean isOpened(String caller, BooleanSupplier mayFollow) {
    return streams
        .open(
            "subject",
            new Follower(caller, mayFollow, () -> {}),
            () -> SseEmitter.event().comment("begin"),
            EventStreamsTest::event)
        .isPresent();
  }

  private static SseEventBuilder event(int news) {
    return SseEmitter.event().data(news);
  }

  private void ends() throws Exception {
    eventuallyPasses("the stream ends", () -> assertThat(streams.subjects()).isEmpty());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
