package io.artifactserver.benchmarks.load;

/**
 * One kind of load. Immutable.
 *
 * @param description one sentence: how many connections do what
 * @param primary the figure by which servers are compared
 * @param door which address of a server it needs
 * @param warmsUp whether rounds go before the measured ones, for compilers and caches
 */
record Scenario(
    String name, String description, Metric primary, Door door, boolean warmsUp, Load load) {

  /** Which address of a server it needs. */
  enum Door {
    /** Without a token. */
    OPEN,
    /** With a token, where a server has such a thing. */
    TOKEN,
    /** With a limit of {@link PacedReaders#LIMIT} for all together. */
    PACED,
    /** Without a token, on a server that has channels. */
    CHANNEL,
    /** HTTP/2: by prior knowledge, or by ALPN through TLS. */
    HTTP2
  }
}
