package io.artifactserver.rest.server.guard;

/** Why a connection is refused. */
public enum Refusal {
  /** There are too many. */
  TOTAL,
  /** There are too many of its address. */
  ADDRESS
}
