package io.artifactserver.rest.api.artifact;

import io.artifactserver.rest.http.BelowArtifact;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says that a controller's method, mapped to the path of artifacts, answers an address behind that
 * of an artifact. Patterns of Spring MVC cannot say it: nothing follows a path of any length.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface AnswersBelow {
  /** The address. */
  BelowArtifact value();
}
