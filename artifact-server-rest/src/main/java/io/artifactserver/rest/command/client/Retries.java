package io.artifactserver.rest.command.client;

import io.artifactserver.rest.command.client.ClientException.Reason;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/**
 * Tries again what failed in a way that may pass, and waits longer each time. Failures are counted
 * from the last byte that got through: a bad link that moves on is never given up.
 */
final class Retries {
  /** Failures in a row: waits of a minute and a half in all. */
  static final int MOST = 9;

  private static final long FIRST_MILLIS = 500;
  private static final long LONGEST_MILLIS = 30_000;

  private final Console console;
  private final LongSupplier progress;

  /**
   * @param progress grows when bytes get through
   */
  Retries(Console console, LongSupplier progress) {
    this.console = console;
    this.progress = progress;
  }

  /** Something that may fail because of the network or the server. */
  @FunctionalInterface
  interface Attempt<T> {
    T run() throws IOException, InterruptedException, ClientException;
  }

  <T> T run(Attempt<T> attempt) throws ClientException, InterruptedException {
    int failures = 0;
    long reached = progress.getAsLong();
    while (true) {
      try {
        return attempt.run();
      } catch (IOException e) {
        String reason = Remote.reason(e);
        if (e instanceof SSLHandshakeException) {
          throw new ClientException(
              Reason.FAILED,
              reason
                  + ". If the server's certificate is of an authority of your own, name it with"
                  + " --ca FILE");
        }
        if (e instanceof SSLException && reason.contains("plaintext connection")) {
          throw new ClientException(
              Reason.FAILED, "the server does not speak TLS here: is its address http:// ?");
        }
        failures = progress.getAsLong() > reached ? 1 : failures + 1;
        reached = Math.max(reached, progress.getAsLong());
        if (failures > MOST) {
          throw new ClientException(
              Reason.FAILED,
              "%s; tried %d times in vain. The same command goes on from here"
                  .formatted(reason, failures));
        }
        Duration asked = e instanceof TransientException t ? t.retryAfter() : Duration.ZERO;
        Duration wait = wait(failures, asked, ThreadLocalRandom.current());
        console.trouble(reason, "trying again in %.1f s".formatted(wait.toMillis() / 1e3));
        Thread.sleep(wait);
      }
    }
  }

  /**
   * How long to wait after so many failures: between half of a time that doubles and all of it,
   * because whoever was cut off together shall not come back together. Never less than what the
   * server asks for.
   */
  static Duration wait(int failures, Duration asked, RandomGenerator random) {
    long longest =
        Math.min(LONGEST_MILLIS, FIRST_MILLIS << Math.min(failures - 1, Integer.SIZE / 2));
    long millis = random.nextLong(longest / 2, longest + 1);
    return asked.plusMillis(asked.isZero() ? millis : random.nextLong(FIRST_MILLIS));
  }
}
