package io.artifactserver.rest.endtoend;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The states of a thing that clients may see, from one change to the next. While a change is under
 * way, both its outcomes and the state before it are allowed. Thread-safe; one thread at a time
 * changes it.
 */
final class Timeline<S> {
  private final List<Set<S>> periods = new ArrayList<>();

  Timeline(S state) {
    periods.add(Set.of(state));
  }

  /** Returns the present moment, for {@link #since}. */
  synchronized int now() {
    return periods.size() - 1;
  }

  /** Returns every state that was allowed at some time since the moment. */
  synchronized Set<S> since(int moment) {
    Set<S> states = new HashSet<>();
    periods.subList(moment, periods.size()).forEach(states::addAll);
    return states;
  }

  /** Returns the states that are allowed now. */
  synchronized Set<S> allowed() {
    return periods.getLast();
  }

  /** Whether this is the only state that is allowed now. */
  boolean is(S state) {
    return allowed().equals(Set.of(state));
  }

  /** Begins a change. */
  synchronized void begin(Set<S> outcomes) {
    Set<S> states = new HashSet<>(periods.getLast());
    states.addAll(outcomes);
    periods.add(Set.copyOf(states));
  }

  /**
   * Ends a change, or learns how one ended whose answer was lost.
   *
   * @throws AssertionError if the state was none of the allowed ones
   */
  synchronized void end(S state) {
    if (!periods.getLast().contains(state)) {
      throw new AssertionError("%s is none of %s".formatted(state, periods.getLast()));
    }
    periods.add(Set.of(state));
  }
}
