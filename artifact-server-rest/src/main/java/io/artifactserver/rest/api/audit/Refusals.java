package io.artifactserver.rest.api.audit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Bounds what refused requests add to the audit, or a device that repeats one would fill the disk.
 * The first of a kind is written at once; those that follow within a minute are counted. A kind is
 * a caller, a method and a status. Thread-safe.
 */
final class Refusals {
  static final Duration MINUTE = Duration.ofMinutes(1);

  /** The most kinds of a caller in a minute; the rest count as one more kind. */
  static final int MAX_KINDS = 16;

  private static final Set<String> METHODS = Set.of("POST", "PUT", "PATCH", "DELETE");
  private static final String OTHER = "other";

  private final LongSupplier nanoTime;

  /** By caller. Guarded by this object. */
  private final Map<String, Map<String, Counted>> counted = new HashMap<>();

  /**
   * @param nanoTime the time, in nanoseconds since some moment
   */
  Refusals(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * @param entry of the refusal, without what the client chose but for what is bounded
   * @return whether it is to be written now; otherwise it has been counted
   */
  synchronized boolean isFirst(
      String caller, String method, int status, Map<String, Object> entry) {
    Map<String, Counted> ofCaller = counted.computeIfAbsent(caller, _ -> new HashMap<>());
    String kind = (METHODS.contains(method) ? method : OTHER) + ' ' + status;
    if (!ofCaller.containsKey(kind) && ofCaller.size() >= MAX_KINDS) {
      kind = OTHER;
    }
    Counted known = ofCaller.get(kind);
    if (known == null) {
      ofCaller.put(kind, new Counted(nanoTime.getAsLong()));
      return true;
    }
    known.more++;
    known.last = entry;
    return false;
  }

  /**
   * Ends the minutes that are over.
   *
   * @param all those that are not over, too
   * @return an entry for each kind of which more than the first have come: the last one, and how
   *     many they were
   */
  synchronized List<Map<String, Object>> end(boolean all) {
    long now = nanoTime.getAsLong();
    List<Map<String, Object>> entries = new ArrayList<>();
    counted
        .values()
        .forEach(ofCaller ->
            ofCaller
                .values()
                .removeIf(each -> {
                  boolean isOver = all || now - each.begin >= MINUTE.toNanos();
                  if (isOver && each.more > 0) {
                    each.last.put("more", each.more);
                    entries.add(each.last);
                  }
                  return isOver;
                }));
    counted.values().removeIf(Map::isEmpty);
    return entries;
  }

  private static final class Counted {
    private final long begin;
    private long more;
    private Map<String, Object> last = Map.of();

    private Counted(long begin) {
      this.begin = begin;
    }
  }
}
