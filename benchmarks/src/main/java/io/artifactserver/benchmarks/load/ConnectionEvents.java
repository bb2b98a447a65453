package io.artifactserver.benchmarks.load;

/** What happens to a connection. Called by the thread of its loop. */
interface ConnectionEvents {
  /** A request may be sent. */
  void connected(Connection connection);

  /**
   * The whole body arrived and was right. Another request may be sent, if the server did not close
   * the connection: {@link Connection#isOpen} tells.
   *
   * @param nanos since the request was due
   */
  void completed(Connection connection, long nanos);

  /** The body was dropped where the request said so; the connection is closed. */
  default void dropped(Connection connection) {}

  /** It is closed and must be connected again. */
  void failed(Connection connection, Failure failure);
}
