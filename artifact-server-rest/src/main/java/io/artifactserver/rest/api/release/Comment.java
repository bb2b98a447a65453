package io.artifactserver.rest.api.release;

import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/**
 * Words of the author of a change. Immutable.
 *
 * @param comment for people; empty if absent
 */
public record Comment(
    @Size(max = Pointing.MAX_COMMENT_LENGTH, message = Pointing.COMMENT_RULE)
        @Pattern(regexp = Pointing.COMMENT_FORM, message = Pointing.COMMENT_RULE)
        @Nullable String comment) {}
