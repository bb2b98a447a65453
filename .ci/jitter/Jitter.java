import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.lang.invoke.MethodHandle;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;

/**
 * A Java agent that makes threads late, so that a race which a busy machine shows once in a
 * thousand runs shows soon: it pauses threads before and after calls of this project's classes.
 *
 * <p>The argument is a seed. It decides at which calls threads pause, and for how long at most; the
 * same seed shows the same race in most runs, not in all.
 */
public final class Jitter {
  private static final String PROJECT = "io/artifactserver/";

  /** Other places to pause at: calls that other threads may notice. */
  private static final List<String> NOTICED_BY_OTHERS =
      List.of(
          PROJECT,
          "java/io/",
          "java/lang/AutoCloseable",
          "java/lang/Object",
          "java/lang/Runnable",
          "java/lang/Thread",
          "java/net/",
          "java/nio/channels/",
          "java/nio/file/",
          "java/util/concurrent/",
          "java/util/function/",
          "org/eclipse/jetty/",
          "software/amazon/");

  private static final int SITES = 1 << 16;

  /** Pauses of one site before they become rare, so that a hot loop ends. */
  private static final int OFTEN = 6;

  private static final AtomicIntegerArray REACHED = new AtomicIntegerArray(SITES);
  private static final int[] MAX_MICROS = new int[SITES];

  /** Waits in the kernel: no interrupt ends it, and the JVM does not count it as a wait. */
  private static final MethodHandle USLEEP =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("usleep"),
              FunctionDescriptor.of(JAVA_INT, JAVA_INT));

  private Jitter() {}

  /** Makes a JVM's threads late from its start. */
  public static void premain(String seed, Instrumentation instrumentation) {
    draw(seed);
    instrumentation.addTransformer(new Pauses(), true);
  }

  /** Makes the threads of a running JVM late. */
  public static void agentmain(String seed, Instrumentation instrumentation)
      throws UnmodifiableClassException {
    premain(seed, instrumentation);
    // All at once: each change stops every thread and looks at every class.
    instrumentation.retransformClasses(
        Stream.of(instrumentation.getAllLoadedClasses())
            .filter(loaded -> loaded.getName().startsWith(PROJECT.replace('/', '.')))
            .filter(instrumentation::isModifiableClass)
            .toArray(Class<?>[]::new));
  }

  private static void draw(String seed) {
    Random random = new Random(Long.parseLong(seed));
    for (int site = 0; site < SITES; site++) {
      int kind = random.nextInt(100);
      MAX_MICROS[site] = kind < 80 ? 0 : kind < 96 ? 3_000 : 20_000;
    }
  }

  /** Called by the changed classes. */
  public static void pause(int site) throws Throwable {
    int max = MAX_MICROS[site];
    if (max == 0) {
      return;
    }
    int times = REACHED.incrementAndGet(site);
    ThreadLocalRandom random = ThreadLocalRandom.current();
    if (times <= OFTEN || random.nextInt(times) < OFTEN) {
      int _ = (int) USLEEP.invokeExact(random.nextInt(max));
    }
  }

  /** Puts calls of {@link #pause} into classes. */
  private static final class Pauses implements ClassFileTransformer {
    private static final ClassDesc JITTER = ClassDesc.of("Jitter");
    private static final MethodTypeDesc PAUSE =
        MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int);

    @Override
    public byte[] transform(
        ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] bytes) {
      if (name == null || !name.startsWith(PROJECT)) {
        return null;
      }
      try {
        ClassFile files =
            ClassFile.of(
                ClassHierarchyResolverOption.of(
                    ClassHierarchyResolver.ofResourceParsing(loader)
                        .orElse(ClassHierarchyResolver.defaultResolver())));
        Sites sites = new Sites(name.hashCode());
        return files.transformClass(
            files.parse(bytes),
            ClassTransform.transformingMethodBodies(
                (code, element) -> change(code, element, sites)));
      } catch (Throwable e) {
        // An agent's exception is dropped by the JVM, and the class would silently stay as it was.
        System.err.printf("Jitter: %s stays as it is: %s%n", name, e);
        return null;
      }
    }

    private static void change(CodeBuilder code, CodeElement element, Sites sites) {
      switch (element) {
        case InvokeInstruction call when isNoticed(call) -> {
          code.loadConstant(sites.next()).invokestatic(JITTER, "pause", PAUSE);
          code.with(element);
          code.loadConstant(sites.next()).invokestatic(JITTER, "pause", PAUSE);
        }
        case MonitorInstruction _ -> {
          code.with(element);
          code.loadConstant(sites.next()).invokestatic(JITTER, "pause", PAUSE);
        }
        default -> code.with(element);
      }
    }

    private static boolean isNoticed(InvokeInstruction call) {
      String owner = call.owner().asInternalName();
      return !call.name().equalsString(ConstantDescs.INIT_NAME)
          && NOTICED_BY_OTHERS.stream().anyMatch(owner::startsWith);
    }
  }

  /** Numbers of the sites of a class: the same in every run. */
  private static final class Sites {
    private int last;

    private Sites(int first) {
      last = first;
    }

    private int next() {
      last++;
      return Math.floorMod(last * 0x9E3779B9 >>> 8, SITES);
    }
  }
}
