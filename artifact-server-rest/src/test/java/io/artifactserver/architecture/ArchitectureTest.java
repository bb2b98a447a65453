package io.artifactserver.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every rule against the code of all modules, and against a planted violation: a rule that cannot
 * fail would be none.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchitectureTest {
  /** With the tests, among which the planted violations are. */
  private final JavaClasses all = new ClassFileImporter().importPackages("io.artifactserver");

  private final JavaClasses house =
      all.that(describe("are not tests", javaClass -> !isTest(javaClass)));

  private static boolean isTest(JavaClass javaClass) {
    String place = javaClass.getSource().orElseThrow().getUri().toString();
    return place.contains("/test-classes/") || place.contains("-tests.jar");
  }

  @Test
  void allModulesAreSeen() {
    assertThat(List.of("core", "storage", "rest"))
        .allSatisfy(module ->
            assertThat(house)
                .anyMatch(c -> c.getPackageName().startsWith("io.artifactserver." + module)));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void holds(Rule rule) {
    // R12 guards a backend that may not be there.
    rule.rule().allowEmptyShould(true).check(house);
  }

  @ParameterizedTest
  @MethodSource("rules")
  void failsOnItsPlantedViolation(Rule rule) {
    JavaClasses violation = all.that(describe("planted for " + rule, rule::isPlanted));
    assertThat(violation).isNotEmpty();
    assertThat(rule.rule().evaluate(violation).hasViolation()).isTrue();
  }

  Stream<Rule> rules() {
    return Arrays.stream(Rules.class.getDeclaredFields())
        .filter(field -> field.getType() == ArchRule.class)
        .map(ArchitectureTest::rule);
  }

  private static Rule rule(Field field) {
    try {
      return new Rule(field.getName(), (ArchRule) field.get(null));
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  record Rule(String name, ArchRule rule) {
    /** Violations stand in packages that end in {@code planted.r1}, {@code planted.r5a}, ... */
    boolean isPlanted(JavaClass javaClass) {
      String number = name.substring(1, name.indexOf('_'));
      return javaClass.getPackageName().matches(".*\\.planted\\.r" + number + "[a-z]?");
    }

    @Override
    public String toString() {
      return name;
    }
  }
}
