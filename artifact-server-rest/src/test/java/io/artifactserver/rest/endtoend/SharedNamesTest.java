package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Classes on the shared servers run one after the other in an order that nobody knows, so none
 * makes what another one makes. This sees the names that are literals where they are used.
 */
class SharedNamesTest {
  private static final Path SOURCES = Path.of("src/test/java/io/artifactserver/rest/endtoend");

  /** Made by {@link SharedServer}; a test that makes one of them has a server of its own. */
  private static final Set<String> OF_ALL = Set.of("public", "secret", "encrypted");

  private static final Pattern REPOSITORY =
      Pattern.compile(
          "\\b(?:create(?:Mutable|Encrypted)?Repository|repository|create|fill)"
              + "\\((?:operator, |admin, )?\"([a-z0-9-]+)\"");

  private static final Pattern ARTIFACT =
      Pattern.compile("\\bput\\(\\s*\"(public|secret|encrypted)\",\\s*(\"[^\"]+\"),");

  @Test
  void noTwoClassesMakeARepositoryOfTheSameName() throws Exception {
    Map<String, Set<String>> makers = new TreeMap<>();
    for (Class<?> each : onSharedServers()) {
      REPOSITORY
          .matcher(source(each))
          .results()
          .map(found -> found.group().contains("fill(") ? found.group(1) + "-" : found.group(1))
          .filter(name -> !OF_ALL.contains(name))
          .forEach(name -> add(makers, name, each));
    }
    assertThat(makers).hasSizeGreaterThan(30);
    makers.values().removeIf(classes -> classes.size() == 1);
    assertThat(makers).isEmpty();
  }

  /** A path takes other bytes never: the second class would get a 409. */
  @Test
  void noTwoClassesMakeTheSameArtifact() throws Exception {
    Map<String, Set<String>> makers = new TreeMap<>();
    for (Class<?> each : onSharedServers()) {
      ARTIFACT
          .matcher(source(each))
          .results()
          .forEach(found -> add(makers, found.group(1) + '/' + found.group(2), each));
    }
    assertThat(makers).hasSizeGreaterThan(10);
    makers.values().removeIf(classes -> classes.size() == 1);
    assertThat(makers).isEmpty();
  }

  private static void add(Map<String, Set<String>> makers, String name, Class<?> maker) {
    makers.computeIfAbsent(name, _ -> new TreeSet<>()).add(maker.getSimpleName());
  }

  private static String source(Class<?> type) throws IOException {
    return Files.readString(SOURCES.resolve(type.getSimpleName() + ".java"));
  }

  private static List<? extends Class<?>> onSharedServers() throws IOException {
    try (Stream<Path> sources = Files.list(SOURCES)) {
      return sources
          .map(source -> source.getFileName().toString())
          .filter(name -> name.endsWith("IT.java") || name.endsWith("Fixture.java"))
          .map(name -> type(name.substring(0, name.length() - ".java".length())))
          .filter(SharedNamesTest::isOnSharedServer)
          .toList();
    }
  }

  private static Class<?> type(String name) {
    try {
      return Class.forName(SharedNamesTest.class.getPackageName() + '.' + name);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isOnSharedServer(Class<?> type) {
    ExtendWith extensions = type.getAnnotation(ExtendWith.class);
    return extensions != null
        && List.of(extensions.value()).contains(SharedServer.class)
        && !hasOwnServers(type);
  }

  private static boolean hasOwnServers(Class<?> type) {
    for (Class<?> each = type; each != EachTransport.class && each != null; ) {
      if (Stream.of(each.getDeclaredMethods())
          .anyMatch(method -> method.getName().equals("endpoints"))) {
        return true;
      }
      each = each.getSuperclass();
    }
    return false;
  }
}
