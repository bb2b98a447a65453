package io.artifactserver.rest.app;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Gives memory back to the system once nobody needs it. The serial collector gives memory back only
 * when it collects the whole heap, and an idle server never makes it do so: after a burst, a heap
 * stayed as large as it had become (docs/adr/0008-serial-collector.md). Used by one thread.
 */
@Component
public class IdleHeap {
  private static final Logger LOG = LoggerFactory.getLogger(IdleHeap.class);

  private static final long MIB = 1024 * 1024;

  /** Less is not worth a pause. */
  private static final long WORTH_IT = 64 * MIB;

  /** As large as it is after a collection of the whole heap, and at first as it begins. */
  private long small = committed();

  private long collections = collections();

  /**
   * Collects the whole heap if it has grown since the last time, and has been idle for a minute.
   */
  @Scheduled(initialDelay = 1, fixedDelay = 1, timeUnit = TimeUnit.MINUTES)
  void look() {
    long before = collections;
    collections = collections();
    long large = committed();
    if (collections != before || large - small < WORTH_IT) {
      return;
    }
    long begin = System.nanoTime();
    System.gc();
    collections = collections();
    small = committed();
    LOG.debug(
        "The heap has {} MiB and had {}; everybody waited for {} ms",
        small / MIB,
        large / MIB,
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
  }

  private static long committed() {
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
  }

  private static long collections() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionCount)
        .sum();
  }
}
