package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;

/** One kind of load. Thread-safe: it keeps nothing between rounds. */
interface Scenario {

  /** Which address of a server it needs. */
  enum Door {
    /** Without a token. */
    OPEN,
    /** With a token, where a server has such a thing. */
    TOKEN,
    /** With a limit of {@link PacedReaders#LIMIT} for all together. */
    PACED,
    /** HTTP/2: by prior knowledge, or by ALPN through TLS. */
    HTTP2
  }

  String name();

  /** One sentence: how many connections do what. */
  String description();

  /** The figure by which servers are compared. */
  Metric primary();

  default Door door() {
    return Door.OPEN;
  }

  /** Whether it is another one's load where there is no TLS. */
  default boolean needsTls() {
    return false;
  }

  /** Whether rounds go before the measured ones, for compilers and caches. */
  default boolean warmsUp() {
    return true;
  }

  /**
   * Runs one round and blocks until it is over.
   *
   * @throws WrongBytesException if a body was not what it must be
   */
  Round run(Target target, ServerProbe probe, RoundSettings settings);
}
