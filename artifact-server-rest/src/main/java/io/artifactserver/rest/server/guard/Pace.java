package io.artifactserver.rest.server.guard;

/** Watches how fast the bodies of one connection are taken. Thread-safe. */
public interface Pace {
  /** Nobody watches. */
  Pace UNWATCHED =
      new Pace() {
        @Override
        public void watch(PacedBody body) {}

        @Override
        public void forget(PacedBody body) {}
      };

  /** From now on the client has to take enough of the body, on average. May be repeated. */
  void watch(PacedBody body);

  /** The body came to its end. */
  void forget(PacedBody body);
}
