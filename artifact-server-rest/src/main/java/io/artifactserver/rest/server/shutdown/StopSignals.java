package io.artifactserver.rest.server.shutdown;

import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a second signal to stop do more than the first. The virtual machine itself ignores it once
 * it stops.
 */
final class StopSignals {
  private static final Logger LOG = LoggerFactory.getLogger(StopSignals.class);

  /** Names and numbers (POSIX), the same on all systems. */
  private static final Map<String, Integer> SIGNALS = Map.of("INT", 2, "TERM", 15);

  /** Added to the number, the exit code of a process that a signal ended. */
  private static final int EXIT_CODE_BASE = 128;

  private StopSignals() {}

  /**
   * From now on the first signal stops the virtual machine in order, as it would anyway, and each
   * further one runs {@code again}. Where the virtual machine offers no signals, nothing changes.
   */
  static void install(Runnable again) {
    AtomicBoolean isStopping = new AtomicBoolean();
    SIGNALS.forEach((name, number) -> {
      try {
        handle(
            name,
            () -> {
              if (isStopping.compareAndSet(false, true)) {
                System.exit(EXIT_CODE_BASE + number);
              } else {
                again.run();
              }
            });
      } catch (ReflectiveOperationException | RuntimeException e) {
        LOG.debug("Signal {} cannot be handled here", name, e);
      }
    });
  }

  /** By reflection: the compiler warns of this class, which is the only way, and supported. */
  private static void handle(String name, Runnable action) throws ReflectiveOperationException {
    Class<?> signal = Class.forName("sun.misc.Signal");
    Class<?> handler = Class.forName("sun.misc.SignalHandler");
    Object proxy =
        Proxy.newProxyInstance(
            handler.getClassLoader(),
            new Class<?>[] {handler},
            (self, method, arguments) -> {
              if (method.getName().equals("handle")) {
                action.run();
              }
              return null;
            });
    signal
        .getMethod("handle", signal, handler)
        .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
  }
}
