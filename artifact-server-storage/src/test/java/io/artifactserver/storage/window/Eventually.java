package io.artifactserver.storage.window;

import java.util.function.BooleanSupplier;

/** Waits for what other threads do. */
final class Eventually {
  private static final int MAX_TRIES = 60_000;

  private Eventually() {}

  /** Returns when it is so; fails when it has not become so in a minute or more. */
  static void eventually(String what, BooleanSupplier isSo) {
    for (int tries = 0; !isSo.getAsBoolean(); tries++) {
      if (tries == MAX_TRIES) {
        throw new AssertionError("Not so: " + what);
      }
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        throw new AssertionError("Interrupted while waiting: " + what, e);
      }
    }
  }
}
