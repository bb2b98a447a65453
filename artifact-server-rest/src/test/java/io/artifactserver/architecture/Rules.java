package io.artifactserver.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Rules R1 to R17 of docs/architecture.md. */
final class Rules {
  private static final String CORE = "io.artifactserver.core..";
  private static final String STORAGE = "io.artifactserver.storage..";
  private static final String STORAGE_PREFIX = "io.artifactserver.storage.";
  private static final String REST = "io.artifactserver.rest..";
  private static final String REST_PREFIX = "io.artifactserver.rest.";
  private static final String ENGINE = "io.artifactserver.rest.server.engine..";

  private Rules() {}

  static final ArchRule R1_CORE_KNOWS_THE_JDK_AND_JSPECIFY_ONLY =
      classes()
          .that()
          .resideInAPackage(CORE)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("java..", "javax.crypto..", "org.jspecify..", CORE);

  static final ArchRule R2_STORAGE_DOES_NOT_KNOW_REST =
      noClasses()
          .that()
          .resideInAPackage(STORAGE)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(REST);

  static final ArchRule R3_REST_DOES_NOT_KNOW_STORAGE =
      noClasses()
          .that()
          .resideInAPackage(REST)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(STORAGE);

  /** Code that backends and decorators share is not a backend itself. */
  static final Set<String> BACKENDS =
      Set.of("file", "s3", "encrypted", "cache", "postgres", "hawkbit");

  static final ArchRule R4_BACKENDS_DO_NOT_SEE_EACH_OTHER =
      slices().assignedFrom(backends()).should().notDependOnEachOther();

  static final ArchRule R5_NO_PACKAGE_CYCLES =
      slices().matching("io.artifactserver.(*).(*)..").should().beFreeOfCycles();

  static final ArchRule R6_NOBODY_READS_AND_DISCARDS =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.artifactserver.benchmarks.baseline..")
          .should()
          .callMethodWhere(
              describe(
                  "InputStream.skip, skipNBytes or IOUtils.skip*",
                  call ->
                      call.getTarget().getName().startsWith("skip")
                          && (call.getTargetOwner().isAssignableTo(java.io.InputStream.class)
                              || call.getTargetOwner()
                                  .getName()
                                  .equals("org.apache.commons.io.IOUtils"))));

  static final ArchRule R7_NO_DELETE_ON_EXIT =
      noClasses().should().callMethod(java.io.File.class, "deleteOnExit");

  static final ArchRule R8_A_CLASS_IS_NAMED_FOR_ITS_THING =
      noClasses().should().haveNameMatching(".*(Utils?|Helper|Manager|Impl)$");

  static final ArchRule R9_CORE_FIELDS_ARE_FINAL =
      fields().that().areDeclaredInClassesThat().resideInAPackage(CORE).should().beFinal();

  /** One room composes answers. The engine repeats heads that it wrote, below Jetty's response. */
  static final ArchRule R10_ONLY_DOWNLOADS_TOUCH_JETTYS_RESPONSE =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.artifactserver.rest.delivery..", "io.artifactserver.rest.front..")
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName("org.eclipse.jetty.server.Response");

  /** A filter's signature names the response it passes on; calling it is what is forbidden. */
  static final ArchRule R10_ONLY_UPLOADS_AND_PROBLEMS_TOUCH_SERVLET_RESPONSES =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.artifactserver.rest.api.artifact..", "io.artifactserver.rest.problem..")
          .should()
          .callMethodWhere(
              describe(
                  "a method of HttpServletResponse",
                  call ->
                      call.getTargetOwner()
                          .getName()
                          .matches("jakarta\\.servlet\\.(http\\.Http)?ServletResponse")));

  static final ArchRule R11_NO_BYTES_FLOW_IN_A_TRANSACTION =
      methods()
          .that()
          .areAnnotatedWith("org.springframework.transaction.annotation.Transactional")
          .or()
          .areDeclaredInClassesThat()
          .areAnnotatedWith("org.springframework.transaction.annotation.Transactional")
          .should(takeNoStreamOrChannel());

  static final ArchRule R12_ONLY_S3_KNOWS_THE_AWS_SDK =
      noClasses()
          .that()
          .resideOutsideOfPackage("..s3..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("software.amazon.awssdk..");

  static final ArchRule R13_ONLY_THE_ENGINE_KNOWS_JETTYS_INTERNALS =
      noClasses()
          .that()
          .resideOutsideOfPackage(ENGINE)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.eclipse.jetty..internal..");

  /** Also to read from one would take bytes away from the connection that owns it. */
  static final ArchRule R14_ONLY_THE_ENGINE_WRITES_TO_END_POINTS =
      noClasses()
          .that()
          .resideOutsideOfPackage(ENGINE)
          .should()
          .callMethodWhere(
              describe(
                  "EndPoint.write, flush or fill",
                  call ->
                      call.getTarget().getName().matches("write|flush|fill")
                          && call.getTargetOwner()
                              .isAssignableTo("org.eclipse.jetty.io.EndPoint")));

  /** A file that is moved elsewhere comes back, or is gone, after a power cut. */
  static final ArchRule R15_ONLY_DURABLE_FILES_MOVES_FILES =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.artifactserver.core.file..")
          .should()
          .callMethodWhere(
              describe(
                  "Files.move or File.renameTo",
                  call ->
                      (call.getTarget().getName().equals("move")
                              && call.getTargetOwner().isEquivalentTo(java.nio.file.Files.class))
                          || (call.getTarget().getName().equals("renameTo")
                              && call.getTargetOwner().isEquivalentTo(java.io.File.class))));

  /** From the ground up. Rooms of one floor do not know each other. */
  private static final List<Set<String>> FLOORS =
      List.of(
          Set.of("http", "log"),
          Set.of("server"),
          Set.of("command", "access"),
          Set.of("problem"),
          Set.of("api", "hawkbit"),
          Set.of("front", "console"),
          Set.of("delivery"),
          Set.of("app"));

  static final ArchRule R16_A_FLOOR_KNOWS_ONLY_THOSE_BELOW =
      classes().that().resideInAPackage(REST).should(knowOnlyFloorsBelow());

  /** Buffers that these two sum up were read from sockets, or are parts of uploads. */
  static final ArchRule R17_NATIVE_CODE_READS_NO_MAPPING =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.artifactserver.storage.remote.checked..", "io.artifactserver.storage.remote.s3..")
          .should()
          .callMethodWhere(
              describe(
                  "a method of java.util.zip or Zstandard that takes a buffer",
                  call ->
                      (call.getTargetOwner().getPackageName().equals("java.util.zip")
                              || call.getTargetOwner()
                                  .getPackageName()
                                  .startsWith("com.github.luben.zstd"))
                          && call.getTarget().getRawParameterTypes().stream()
                              .anyMatch(type -> type.isEquivalentTo(java.nio.ByteBuffer.class))));

  /** A slice for each of the backends, whatever room it stands in. */
  private static SliceAssignment backends() {
    return new SliceAssignment() {
      @Override
      public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
        return Stream.of(javaClass.getPackageName().split("\\."))
            .filter(part -> javaClass.getPackageName().startsWith(STORAGE_PREFIX))
            .filter(BACKENDS::contains)
            .findFirst()
            .map(SliceIdentifier::of)
            .orElseGet(SliceIdentifier::ignore);
      }

      @Override
      public String getDescription() {
        return "backends";
      }
    };
  }

  private static ArchCondition<JavaClass> knowOnlyFloorsBelow() {
    return new ArchCondition<>("know only the floors below their own") {
      @Override
      public void check(JavaClass javaClass, ConditionEvents events) {
        String room = room(javaClass);
        for (Dependency dependency : javaClass.getDirectDependenciesFromSelf()) {
          JavaClass target = dependency.getTargetClass();
          if (isInRest(target)
              && !room(target).equals(room)
              && floor(room(target)) >= floor(room)) {
            events.add(SimpleConditionEvent.violated(javaClass, dependency.getDescription()));
          }
        }
      }
    };
  }

  private static boolean isInRest(JavaClass javaClass) {
    return javaClass.getPackageName().startsWith(REST_PREFIX);
  }

  /** The package below {@code io.artifactserver.rest}. */
  private static String room(JavaClass javaClass) {
    return javaClass.getPackageName().substring(REST_PREFIX.length()).split("\\.")[0];
  }

  private static int floor(String room) {
    return IntStream.range(0, FLOORS.size())
        .filter(floor -> FLOORS.get(floor).contains(room))
        .findFirst()
        .orElseThrow(() -> new AssertionError("rest." + room + " is on no floor of rule R16"));
  }

  private static ArchCondition<JavaMethod> takeNoStreamOrChannel() {
    return new ArchCondition<>("take no stream or channel") {
      @Override
      public void check(JavaMethod method, ConditionEvents events) {
        for (JavaClass parameter : method.getRawParameterTypes()) {
          if (parameter.isAssignableTo(java.io.InputStream.class)
              || parameter.isAssignableTo(java.io.OutputStream.class)
              || parameter.isAssignableTo(java.nio.channels.Channel.class)) {
            events.add(
                SimpleConditionEvent.violated(
                    method, method.getFullName() + " takes a " + parameter.getSimpleName()));
          }
        }
      }
    };
  }
}
