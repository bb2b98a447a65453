package io.artifactserver.storage.catalog;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that moves when told. Thread-safe. */
public final class TestClock implements InstantSource {
  // With nanoseconds, which PostgreSQL cuts.
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-03-04T05:06:07.123456789Z"));

  @Override
  public Instant instant() {
    return now.get();
  }

  public void advance(Duration duration) {
    now.updateAndGet(instant -> instant.plus(duration));
  }
}
