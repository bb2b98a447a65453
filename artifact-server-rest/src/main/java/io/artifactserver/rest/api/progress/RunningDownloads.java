package io.artifactserver.rest.api.progress;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** Downloads that take their time, so that their progress is seen before their end. Thread-safe. */
@Component
public final class RunningDownloads {
  private final Set<Download> all = ConcurrentHashMap.newKeySet();

  /** A download on its way. */
  public interface Download {
    /** Takes down what the client took until now. Must not block. */
    void takeDown();

    /** Returns how many bytes of the body the client took until now. Must not block. */
    long taken();
  }

  /** Looks after a download until it ends. */
  public void add(Download download) {
    all.add(download);
  }

  /** A download has ended. */
  public void remove(Download download) {
    all.remove(download);
  }

  /** Returns how many there are. */
  public int size() {
    return all.size();
  }

  /** Returns how many bytes the clients of all of them took until now. */
  public long taken() {
    return all.stream().mapToLong(Download::taken).sum();
  }

  /** Takes down what all of them took until now. */
  void takeDown() {
    all.forEach(Download::takeDown);
  }
}
