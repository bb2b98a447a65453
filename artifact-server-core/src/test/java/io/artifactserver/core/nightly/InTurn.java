package io.artifactserver.core.nightly;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * An integration test of half a minute or more. Such tests take turns: a build runs those of one of
 * {@value #TURNS} turns, which follows from its time or from {@code -Dtests.turn=N}, and every
 * night runs all. One that is asked for by {@code -Dit.test} runs in any build. A turn takes about
 * three minutes of one process.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(InTurn.Condition.class)
public @interface InTurn {
  int TURNS = 8;

  /** From 0 on. */
  int value();

  /** Reads the turn of this build. */
  final class Condition implements ExecutionCondition {
    private static final String PROPERTY = "tests.turn";

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      int turn = context.getRequiredTestClass().getAnnotation(InTurn.class).value();
      String build = System.getProperty(PROPERTY);
      if (build == null || Nightly.IS_NOW || System.getProperty("it.test") != null) {
        return ConditionEvaluationResult.enabled("all turns run");
      }
      int number = build.matches("\\d") ? Integer.parseInt(build) : build.hashCode();
      int now = Math.floorMod(number, TURNS);
      return turn == now
          ? ConditionEvaluationResult.enabled("it is turn " + now)
          : ConditionEvaluationResult.disabled(
              "it is turn %d of this build: runs every night, and with -D%s=%d"
                  .formatted(now, PROPERTY, turn));
    }
  }
}
