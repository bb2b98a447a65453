package io.artifactserver.rest.poison;

import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_Throwable;
import static java.lang.constant.ConstantDescs.CD_void;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Changes Jetty's classes in their jars: its pool gives out what {@link Poison} watches, and each
 * general catch clause tells {@link Faults} what it caught.
 *
 * <p>The jars are changed and not the running classes, because a JVM with an agent that changes
 * classes refuses the record of a fast start, and because the record must be of the same classes.
 */
public final class PoisonedJars {
  private static final String POOL = "org/eclipse/jetty/io/ArrayByteBufferPool";
  private static final ClassDesc POISON = Poison.class.describeConstable().orElseThrow();
  private static final ClassDesc FAULTS = Faults.class.describeConstable().orElseThrow();
  private static final ClassDesc BUFFER =
      ClassDesc.of("org.eclipse.jetty.io.RetainableByteBuffer$Mutable");
  private static final MethodTypeDesc HAND_OUT =
      MethodTypeDesc.of(BUFFER, BUFFER, ClassDesc.of("org.eclipse.jetty.io.ByteBufferPool"));
  private static final MethodTypeDesc CAUGHT = MethodTypeDesc.of(CD_void, CD_Throwable, CD_String);

  /** A clause for anything else expects what it catches. */
  private static final Set<String> GENERAL =
      Set.of(
          "java/lang/Throwable",
          "java/lang/Exception",
          "java/lang/RuntimeException",
          "java/lang/Error");

  /** The classes that the changed ones call. */
  private static final List<String> CALLED =
      Stream.of("Poison", "Poison$Owned", "Poison$Owner", "Poison$Identity", "Faults")
          .map(
              name -> PoisonedJars.class.getPackageName().replace('.', '/') + "/" + name + ".class")
          .toList();

  private PoisonedJars() {}

  /** Changes the jars of Jetty in a folder with all jars of a program. */
  public static void change(Path folder) throws IOException {
    List<Path> jars;
    try (Stream<Path> files = Files.list(folder)) {
      jars = files.filter(file -> file.toString().endsWith(".jar")).toList();
    }
    URL[] urls = new URL[jars.size()];
    for (int i = 0; i < urls.length; i++) {
      urls[i] = jars.get(i).toUri().toURL();
    }
    // Writes to the side, because the jars are read from while they are changed.
    List<Path> changed = new ArrayList<>();
    try (URLClassLoader classes = new URLClassLoader(urls, null)) {
      ClassFile files =
          ClassFile.of(
              ClassHierarchyResolverOption.of(
                  ClassHierarchyResolver.ofResourceParsing(classes)
                      .orElse(ClassHierarchyResolver.defaultResolver())));
      for (Path jar : jars) {
        if (jar.getFileName().toString().startsWith("jetty-")) {
          Path copy = jar.resolveSibling(jar.getFileName() + ".changed");
          Files.deleteIfExists(copy);
          Files.copy(jar, copy);
          changeClasses(files, copy);
          changed.add(copy);
        }
      }
    }
    for (Path copy : changed) {
      String name = copy.toString();
      Files.delete(Path.of(name.substring(0, name.lastIndexOf('.'))));
      Files.move(copy, Path.of(name.substring(0, name.lastIndexOf('.'))));
    }
  }

  private static void changeClasses(ClassFile files, Path jar) throws IOException {
    try (FileSystem inside = FileSystems.newFileSystem(jar, Map.of("accessMode", "readWrite"))) {
      Path root = inside.getPath("/");
      List<Path> classes;
      try (Stream<Path> all = Files.walk(root)) {
        classes =
            all.filter(file -> file.toString().endsWith(".class"))
                .filter(file -> !file.endsWith("module-info.class"))
                .toList();
      }
      for (Path file : classes) {
        ClassModel old = files.parse(Files.readAllBytes(file));
        if (old.methods().stream().anyMatch(PoisonedJars::isChanged)) {
          Files.write(
              file,
              files.transformClass(
                  old,
                  (builder, element) -> {
                    if (element instanceof MethodModel method && isChanged(method)) {
                      builder.transformMethod(
                          method, MethodTransform.transformingCode(change(method)));
                    } else {
                      builder.with(element);
                    }
                  }));
        }
      }
      if (Files.exists(root.resolve(POOL + ".class"))) {
        for (String called : CALLED) {
          Path target = root.resolve(called);
          Files.createDirectories(target.getParent());
          Files.write(target, bytes(called));
        }
      }
    }
  }

  /** Returns what tells jars that were changed by other classes than these from those of these. */
  public static int version() throws IOException {
    int version = 0;
    for (String called : CALLED) {
      version = 31 * version + Arrays.hashCode(bytes(called));
    }
    String own = PoisonedJars.class.getName().replace('.', '/') + ".class";
    return 31 * version + Arrays.hashCode(bytes(own));
  }

  private static byte[] bytes(String resource) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(PoisonedJars.class.getResourceAsStream("/" + resource))) {
      return in.readAllBytes();
    }
  }

  private static boolean isChanged(MethodModel method) {
    return givesOut(method) || !generalHandlers(method).isEmpty();
  }

  private static boolean givesOut(MethodModel method) {
    return method.methodName().equalsString("acquire")
        && method.parent().orElseThrow().thisClass().asInternalName().equals(POOL);
  }

  private static Set<Label> generalHandlers(MethodModel method) {
    return method.code().stream()
        .flatMap(code -> code.exceptionHandlers().stream())
        .filter(clause ->
            clause.catchType().filter(type -> GENERAL.contains(type.asInternalName())).isPresent())
        .map(ExceptionCatch::handler)
        .collect(Collectors.toSet());
  }

  private static CodeTransform change(MethodModel method) {
    Set<Label> handlers = generalHandlers(method);
    boolean givesOut = givesOut(method);
    String where =
        method.parent().orElseThrow().thisClass().asInternalName().replace('/', '.')
            + "."
            + method.methodName().stringValue();
    return (code, element) -> {
      switch (element) {
        case LabelTarget target when handlers.contains(target.label()) ->
            code.with(element).dup().loadConstant(where).invokestatic(FAULTS, "caught", CAUGHT);
        case ReturnInstruction end when givesOut && end.opcode() == Opcode.ARETURN ->
            code.aload(0).invokestatic(POISON, "handOut", HAND_OUT).with(element);
        default -> code.with(element);
      }
    };
  }
}
