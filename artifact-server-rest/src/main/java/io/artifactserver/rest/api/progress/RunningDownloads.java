package io.artifactserver.rest.api.progress;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** Downloads that take their time, so that their progress is seen before their end. Thread-safe. */
@Component
public final class RunningDownloads {
  private final Set<Download> all = ConcurrentHashMap.newKeySet();

  /** A download on its way. */
  @FunctionalInterface
  public interface Download {
    /** Takes down what the client took until now. Must not block. */
    void takeDown();
  }

  /** Looks after a download until it ends. */
  public void add(Download download) {
    all.add(download);
  }

  /** A download has ended. */
  public void remove(Download download) {
    all.remove(download);
  }

  /** Takes down what all of them took until now. */
  void takeDown() {
    all.forEach(Download::takeDown);
  }
}
