package io.artifactserver.rest.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.api.artifact.ArtifactView;
import io.artifactserver.rest.http.RequestPath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines to copy, as a shell reads them. */
class RecipeTest {
  private static final String SERVER = "https://firmware.example";

  /** Prints the words that a program is given, one in each line. */
  private static final String SHOW = "show() { printf '%s\\n' \"$@\"; }\n";

  @ParameterizedTest
  @ValueSource(
      strings = {"1.0/fw.img", "--config=b", "a/-o", "it's", "$(false)`false`", "a b;c&d", "a\"b"})
  void noNameIsMoreThanAName(String path) throws Exception {
    String name = path.substring(path.lastIndexOf('/') + 1);
    String file = name.startsWith("-") ? "./" + name : name;
    for (Recipe recipe : Recipe.of(artifact(path), SERVER, true)) {
      String first = recipe.text().lines().findFirst().orElseThrow();
      List<String> words = words(first);
      String url = SERVER + "/artifacts/public/" + RequestPath.encode(path);
      assertThat(String.join(" ", words)).as(recipe.name()).contains(url);
      switch (recipe.name()) {
        case "curl" -> assertThat(words).containsExactly("curl", "-fL", "-C", "-", "-o", file, url);
        case "desync" -> assertThat(words).endsWith(url + ".caibx", file);
        case "zsync" -> assertThat(words).endsWith("-o", file, url + ".zsync");
        default -> assertThat(words.getLast()).endsWith(url);
      }
    }
  }

  private static List<String> words(String line) throws IOException, InterruptedException {
    Process shell =
        new ProcessBuilder("sh", "-c", SHOW + "show " + line).redirectErrorStream(true).start();
    String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(shell.waitFor()).as(output).isZero();
    return Arrays.asList(output.split("\n"));
  }

  private static ArtifactView artifact(String path) {
    String address = "/artifacts/public/" + RequestPath.encode(path);
    return new ArtifactView(
        "public",
        path,
        1,
        "application/octet-stream",
        "",
        "",
        "0".repeat(64),
        "",
        Instant.EPOCH,
        false,
        null,
        null,
        List.of(form("caibx"), form("zsync")),
        List.of(),
        new ArtifactView.Links("", address, ""));
  }

  private static ArtifactView.FormView form(String name) {
    return new ArtifactView.FormView(name, "ready", 1L, Instant.EPOCH);
  }
}
