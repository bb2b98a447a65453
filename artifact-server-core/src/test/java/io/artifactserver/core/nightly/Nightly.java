package io.artifactserver.core.nightly;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A test that takes long and proves little beside the others: it runs every night, and with {@code
 * -Dtests.nightly=true}. Elsewhere it is skipped, and the report says so.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@EnabledIfSystemProperty(
    named = Nightly.PROPERTY,
    matches = "true",
    disabledReason = "runs every night, and with -D" + Nightly.PROPERTY + "=true")
public @interface Nightly {
  String PROPERTY = "tests.nightly";

  /** Whether such tests run now, for those that choose among their cases. */
  boolean IS_NOW = Boolean.getBoolean(PROPERTY);

  /** Why that is enough. */
  String value();
}
