package io.artifactserver.rest.delivery.body;

import io.artifactserver.rest.server.guard.PacedBody;
import java.util.function.LongConsumer;
import org.eclipse.jetty.io.EofException;

/**
 * Says how much of a body may be sent now. Asked by one thread at a time. (A {@link
 * io.artifactserver.rest.server.guard.Pace} watches how fast clients take what is sent.)
 */
@FunctionalInterface
public interface Throttle {
  /** More than a piece of a body. */
  long ANY = Long.MAX_VALUE;

  /** There is no limit, and never will be. */
  Throttle NONE = (_, _) -> ANY;

  /**
   * Asks for the next bytes of a body. Does not block.
   *
   * @param most that are left of the body; positive
   * @param granted told later how many may be sent, unless some may be sent now; must not block
   * @return how many may be sent now; {@link #ANY} for one piece of any length, 0 if the body has
   *     to wait
   * @throws EofException if nothing more may be sent
   */
  long take(long most, LongConsumer granted) throws EofException;

  /** The connection did not take a piece of the body at once. May be repeated. */
  default void watch(PacedBody body) {}

  /** Whether a body may have to wait, as things stand. */
  default boolean holdsBack() {
    return false;
  }
}
