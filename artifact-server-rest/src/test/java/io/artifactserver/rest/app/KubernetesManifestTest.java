package io.artifactserver.rest.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks as much of deploy/helm and deploy/kubernetes.yaml as is possible without helm;
 * deploy/test/helm-check does the rest.
 */
class KubernetesManifestTest {
  private static final Path DEPLOY = Path.of("..", "deploy");
  private static final Path CONFIGURATION = Path.of("..", "docs", "configuration.md");
  private static final Pattern VARIABLE = Pattern.compile("\\bARTIFACTSERVER_[A-Z0-9_]+");
  private static final Pattern PROPERTY = Pattern.compile("`(artifact-server)?(\\.[a-z0-9.-]+)`");

  @Test
  void theManifestIsOfThisChart() throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (Path file : filesOfChart()) {
      digest.update(Files.readAllBytes(file));
    }
    assertThat(Files.readString(DEPLOY.resolve("kubernetes.yaml")))
        .as("run \"deploy/test/helm-check --update\"")
        .contains("\n# " + HexFormat.of().formatHex(digest.digest()) + "\n");
  }

  /** One that the server does not know would stop its start. */
  @Test
  void everyVariableOfTheChartIsAProperty() throws IOException {
    Set<String> known =
        PROPERTY
            .matcher(Files.readString(CONFIGURATION))
            .results()
            .map(match -> "ARTIFACTSERVER" + variable(match.group(2)))
            .collect(Collectors.toSet());
    String chart = Files.readString(DEPLOY.resolve("helm/templates/statefulset.yaml"));
    Set<String> used =
        VARIABLE.matcher(chart).results().map(match -> match.group()).collect(Collectors.toSet());
    assertThat(used).hasSizeGreaterThan(10);
    assertThat(used)
        .allSatisfy(variable ->
            assertThat(known)
                .anyMatch(name -> name.equals(variable) || isShortFor(name, variable)));
  }

  /** The page names the second of two properties by its end: {@code .private-key}. */
  private static boolean isShortFor(String name, String variable) {
    return name.length() > "ARTIFACTSERVER".length()
        && variable.endsWith(name.substring("ARTIFACTSERVER".length()));
  }

  private static String variable(String property) {
    return property.replace("-", "").replace('.', '_').toUpperCase(Locale.ROOT);
  }

  private static List<Path> filesOfChart() throws IOException {
    try (Stream<Path> files = Files.walk(DEPLOY.resolve("helm"))) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }
}
