package io.artifactserver.rest.api.release;

import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.release.Rollout;
import io.artifactserver.core.release.TimeWindow;
import io.artifactserver.rest.problem.ProblemException;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * A release for a channel. Immutable.
 *
 * @param release path of a folder of artifacts
 * @param percentage of the devices that get it; 100 if absent
 * @param groups devices that it is for; all if absent
 * @param windows times in which further devices get it, such as {@code Mon-Fri 22:00-04:00
 *     Europe/Berlin}; always if absent
 * @param stop when it is taken back; never if absent
 * @param comment for people; empty if absent
 */
public record Pointing(
    @NotBlank @Nullable String release,
    @Min(value = 1, message = PERCENTAGE_RULE) @Max(value = ALL_DEVICES, message = PERCENTAGE_RULE)
        @Nullable Integer percentage,
    StageView.@Nullable Groups groups,
    @Nullable List<String> windows,
    StageView.@Nullable Stop stop,
    @Size(max = MAX_COMMENT_LENGTH, message = COMMENT_RULE)
        @Pattern(regexp = COMMENT_FORM, message = COMMENT_RULE)
        @Nullable String comment) {
  static final int MAX_COMMENT_LENGTH = 1000;
  static final String COMMENT_RULE = "has at most 1000 characters, and no NUL";

  /** PostgreSQL stores no NUL. */
  static final String COMMENT_FORM = "[^\\x00]*";

  private static final int ALL_DEVICES = 100;
  private static final String PERCENTAGE_RULE = "is 1 to 100";

  Rollout rollout() {
    try {
      return new Rollout(
          percentage == null ? ALL_DEVICES : percentage,
          null,
          false,
          groups == null ? List.of() : groups.patterns(),
          groups == null ? Labels.NONE : groups.required(),
          groups == null ? List.of() : groups.networks(),
          StageView.texts(windows).stream().map(TimeWindow::parse).toList(),
          stop == null ? null : stop.toRule());
    } catch (IllegalArgumentException e) {
      throw new ProblemException(HttpStatus.BAD_REQUEST, "Invalid rollout", e.getMessage() + ".");
    }
  }
}
