package io.artifactserver.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

/** Rule R6, of which this module is the exception: the package {@code baseline}, and no other. */
class OldWaysTest {
  @Test
  void onlyTheBaselineReadsAndDiscards() {
    JavaClasses classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.artifactserver.benchmarks");

    assertThat(
            classes.stream()
                .flatMap(javaClass -> javaClass.getMethodCallsFromSelf().stream())
                .filter(OldWaysTest::skips)
                .map(call -> call.getOriginOwner().getPackageName())
                .distinct())
        .containsExactly("io.artifactserver.benchmarks.baseline");
  }

  private static boolean skips(JavaCall<?> call) {
    return call.getTarget().getName().startsWith("skip")
        && (call.getTargetOwner().isAssignableTo(InputStream.class)
            || call.getTargetOwner().getName().equals("org.apache.commons.io.IOUtils"));
  }
}
