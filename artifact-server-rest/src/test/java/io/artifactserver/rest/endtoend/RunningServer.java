package io.artifactserver.rest.endtoend;

import java.io.IOException;
import java.net.URI;

/** A server that an {@link Operator} asks. */
interface RunningServer {
  /** The address of a path, with its query. */
  URI uri(String pathAndQuery);

  /** Returns the token that the server made at its first start. */
  String operatorToken() throws IOException;
}
