package io.artifactserver.rest.console;

import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.core.progress.RolloutStore;
import java.util.List;

/**
 * How many devices have nothing, a part, or all of each artifact of a release. Immutable.
 *
 * @param bars one for each artifact, in the order of the subjects
 */
public record Progress(List<Bar> bars) {
  /** Asks the database. */
  static Progress of(List<ProgressSubject> subjects, RolloutStore store) {
    long seen = store.seen(subjects.getFirst().repository());
    return new Progress(
        subjects.stream()
            .map(store::counts)
            .map(counts ->
                new Bar(
                    Math.max(0, seen - counts.some() - counts.all()), counts.some(), counts.all()))
            .toList());
  }

  /**
   * The devices of a repository, by how much of an artifact they have.
   *
   * @param none have nothing of it
   * @param some have a part of it, and not all
   * @param all have all of it
   */
  public record Bar(long none, long some, long all) {
    private static final double WIDTH = 100;

    public long devices() {
      return none + some + all;
    }

    /** The width of those that have all of it, in hundredths. */
    public double allWidth() {
      return width(all);
    }

    /** The width of those that have a part of it, in hundredths. */
    public double someWidth() {
      return width(some);
    }

    /** Says all of it in a sentence. */
    public String text() {
      return "%d devices have all of it, %d a part, %d nothing".formatted(all, some, none);
    }

    private double width(long count) {
      return devices() == 0 ? 0 : WIDTH * count / devices();
    }
  }
}
