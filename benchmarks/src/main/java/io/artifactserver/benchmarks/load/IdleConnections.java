package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Devices that keep a connection open between their requests: each asks for 4 KiB when it connects,
 * idles, and asks once more in the measured time.
 */
record IdleConnections(int connections) implements Load {
  private static final int LENGTH = 4096;
  private static final int RECEIVE_BUFFER = 64 * 1024;

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    AtomicInteger answered = new AtomicInteger();
    CountDownLatch measured = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    try (Client client = new Client(settings, probe)) {
      for (int i = 0; i < connections; i++) {
        Duration wait = settings.duration().multipliedBy(i).dividedBy(connections);
        Duration ramp = SlowReaders.ramp(i);
        SplittableRandom random = settings.random(i);
        // One that fails stays closed, and so its second request is missing from the result.
        client.startOnce(
            client.connection(target).ofDevice(i, RECEIVE_BUFFER),
            connection -> {
              Thread.sleep(ramp);
              connection.connect();
              ask(connection, random, settings, answered);
              measured.await();
              Thread.sleep(wait);
              ask(connection, random, settings, answered);
              over.await();
            });
      }
      client.await(
          SlowReaders.ramp(connections).plus(settings.stall()),
          () -> answered.get() >= connections);
      double first = answered.get();
      Window window = client.open();
      measured.countDown();
      client.sleep(settings.duration());
      client.await(settings.stall(), () -> answered.get() >= 2 * connections);
      return window.close(
          client.total(),
          Map.of(
              "connections",
              (double) connections,
              "answered first",
              first,
              "answered again",
              answered.get() - first));
    }
  }

  private static void ask(
      Connection connection,
      SplittableRandom random,
      RoundSettings settings,
      AtomicInteger answered)
      throws RequestFailedException, InterruptedException {
    ByteSpan span = ByteSpan.at(random, LENGTH, settings.content().length());
    connection.get(Request.range(span), System.nanoTime());
    answered.incrementAndGet();
  }
}
