package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * Devices that each download the whole file again and again, but drop their connections at random
 * points, every quarter of the file on average, and resume on new ones with If-Range.
 *
 * @param devices with one connection each
 */
record ResumedDownloads(int devices) implements Load {
  /** How often a download was resumed, a second. */
  static final String RESUMES = "resumes/s";

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    LongAdder resumes = new LongAdder();
    try (Client client = new Client(settings, probe)) {
      for (int i = 0; i < devices; i++) {
        SplittableRandom random = settings.random(i);
        client.start(
            client.connection(target),
            connection -> download(connection, settings.content(), random, resumes));
      }
      Window window = client.open();
      long before = resumes.sum();
      client.sleep(settings.duration());
      double resumed = resumes.sum() - before;
      return window.close(client.total(), Map.of(RESUMES, resumed / window.seconds()));
    }
  }

  private static void download(
      Connection connection, Content content, SplittableRandom random, LongAdder resumes)
      throws RequestFailedException, InterruptedException {
    Request next = Request.whole(content);
    while (true) {
      if (!connection.isOpen()) {
        connection.connect();
      }
      long dropAt = random.nextLong(Math.max(1, content.length() / 2)) + 1;
      if (connection.get(next, System.nanoTime(), dropAt)) {
        next = Request.whole(content);
      } else {
        long position = next.span().position() + connection.received();
        ByteSpan rest = new ByteSpan(position, content.length() - position);
        next = Request.rest(rest, connection.entityTag());
        resumes.increment();
      }
    }
  }
}
