package io.artifactserver.rest.endtoend;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The exceptions that Jetty may catch in a test, or in the tests of a class: {@link ServerLogs}.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@interface ExpectsLog {
  /** Regular expressions, one of which is found in the first lines of what is expected. */
  String[] value();
}
