package io.artifactserver.benchmarks.load;

/**
 * A request that got no correct answer. Wrong bytes are none of these: they end the run.
 *
 * @param kind a few words by which failures are counted
 * @param message what happened to which request
 */
record Failure(String kind, String message) {}
