package io.artifactserver.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code docs/architecture.md} names every package and every kind of thread, and no other. */
class ArchitecturePageTest {
  private static final Path PROJECT = Path.of("..");
  private static final List<String> MODULES =
      List.of("artifact-server-core", "artifact-server-storage", "artifact-server-rest");
  private static final Pattern PACKAGE =
      Pattern.compile("(?m)^package io\\.artifactserver\\.(.*);");
  private static final Pattern THREAD =
      Pattern.compile("(?:\\.name|DaemonThreads\\.pool)\\(\\s*\"([a-z0-9-]+)\"");
  private static final Pattern CODE = Pattern.compile("`([a-z0-9.-]+)`");

  private String page = "";
  private List<String> sources = List.of();

  @BeforeEach
  void read() throws IOException {
    page = Files.readString(PROJECT.resolve("docs/architecture.md"));
    // Not all of the project: other processes write and delete below target.
    List<String> found = new ArrayList<>();
    for (String module : MODULES) {
      try (Stream<Path> files = Files.walk(PROJECT.resolve(module).resolve("src/main/java"))) {
        files
            .filter(file -> file.toString().endsWith(".java"))
            .map(ArchitecturePageTest::text)
            .forEach(found::add);
      }
    }
    sources = found;
    assertThat(sources).hasSizeGreaterThan(100);
  }

  @Test
  void namesEveryPackage() {
    Set<String> named = codes(section("## Modules", "### Central types"));
    named.removeIf(name -> name.startsWith("artifact-server-"));
    assertThat(named).isEqualTo(found(PACKAGE));
  }

  @Test
  void namesEveryThread() {
    Set<String> named = codes(section("## Threads", "## Memory"));
    assertThat(named).containsAll(found(THREAD));
    String everything =
        String.join("\n", sources)
            + text(PROJECT.resolve("artifact-server-rest/src/main/resources/application.yaml"));
    assertThat(named)
        .allSatisfy(name -> assertThat(everything).containsAnyOf('"' + name, "prefix: " + name));
  }

  private Set<String> found(Pattern pattern) {
    return sources.stream()
        .flatMap(source -> pattern.matcher(source).results())
        .map(result -> result.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The text that stands as code in the table of a section, but for its last column. */
  private static Set<String> codes(String section) {
    Set<String> codes = new TreeSet<>();
    for (String line : section.lines().filter(line -> line.startsWith("|")).toList()) {
      String cells = line.substring(0, line.lastIndexOf('|', line.length() - 2));
      Matcher code = CODE.matcher(cells);
      while (code.find()) {
        codes.add(code.group(1));
      }
    }
    return codes;
  }

  private String section(String begin, String end) {
    return page.substring(page.indexOf(begin), page.indexOf(end));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
