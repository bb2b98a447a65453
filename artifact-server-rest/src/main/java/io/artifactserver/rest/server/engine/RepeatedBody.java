package io.artifactserver.rest.server.engine;

import java.nio.ByteBuffer;
import org.eclipse.jetty.util.Callback;

/** A body that is in memory. Completed, with success or not, when nothing more of it is sent. */
public interface RepeatedBody extends Callback {
  /** All of it, in the order in which it is sent. */
  ByteBuffer[] buffers();

  /** The connection did not take it at once: what is left of it waits for the client. */
  default void waits() {}

  @Override
  default InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }
}
