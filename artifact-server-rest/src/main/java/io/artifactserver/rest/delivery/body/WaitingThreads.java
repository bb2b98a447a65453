package io.artifactserver.rest.delivery.body;

import io.artifactserver.core.blob.Wait;
import java.util.concurrent.Executor;

/**
 * Runs each task where its waiting holds up nobody else. Thread-safe.
 *
 * @param openings platform threads: opening a file may wait for the disk
 * @param coldPages platform threads of their own, which wait for the disk most of the time
 * @param remoteReads threads that wait for other processes
 */
public record WaitingThreads(Executor openings, Executor coldPages, Executor remoteReads) {
  /** Runs what opens a blob; on this thread if it waits for nothing. */
  public void open(Wait wait, Runnable task) {
    run(wait, task, openings);
  }

  /** Runs what reads; on this thread if it waits for nothing, or for what the thread is for. */
  public void read(Wait wait, Runnable task) {
    run(wait, task, coldPages);
  }

  private void run(Wait wait, Runnable task, Executor disk) {
    switch (wait) {
      case NONE -> task.run();
      case REMOTE -> {
        if (ReadThreads.isCurrent()) {
          task.run();
        } else {
          remoteReads.execute(task);
        }
      }
      case DISK -> disk.execute(task);
    }
  }
}
