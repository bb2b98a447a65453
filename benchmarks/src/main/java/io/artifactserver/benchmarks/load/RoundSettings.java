package io.artifactserver.benchmarks.load;

import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Settings that are the same for every server within one round.
 *
 * @param round its number; 0 is the warm-up
 * @param stall how long a request may make no progress
 * @param rate requests a second of the range scenarios together; 0 is as many as there can be
 */
record RoundSettings(
    Content content,
    int round,
    long seed,
    Duration duration,
    Duration stall,
    int clientThreads,
    double rate,
    Optional<TrustingTls> tls) {

  /** The same with another content. */
  RoundSettings with(Content other) {
    return new RoundSettings(other, round, seed, duration, stall, clientThreads, rate, tls);
  }

  /** The same numbers for each server, others in each round. */
  SplittableRandom random(int connection) {
    return new SplittableRandom(seed * 1_000_003 + round * 65_537L + connection);
  }
}
