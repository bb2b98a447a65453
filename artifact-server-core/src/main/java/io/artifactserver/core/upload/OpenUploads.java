package io.artifactserver.core.upload;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Uploads whose stores hold something for them, such as a part in memory. There is a bound, beyond
 * which the one that was opened first has to give it back: it keeps what came, and opens again with
 * its next bytes. Thread-safe.
 */
final class OpenUploads {
  private final int max;

  /** Each gives back what its upload holds; the first that was opened comes first. */
  private final Map<Object, Runnable> open = new LinkedHashMap<>();

  /**
   * @param max uploads, at least 1
   */
  OpenUploads(int max) {
    this.max = max;
  }

  /**
   * An upload holds something.
   *
   * @param giveBack returns at once if the upload is at work; then it stays
   */
  void opened(Object upload, Runnable giveBack) {
    List<Runnable> tooMany = new ArrayList<>();
    synchronized (open) {
      open.put(upload, giveBack);
      Iterator<Runnable> first = open.values().iterator();
      for (int excess = open.size() - max; excess > 0; excess--) {
        tooMany.add(first.next());
      }
    }
    tooMany.forEach(Runnable::run);
  }

  /** It does not any more. */
  void closed(Object upload) {
    synchronized (open) {
      open.remove(upload);
    }
  }
}
