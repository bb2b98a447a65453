package io.artifactserver.rest.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.DigestAlgorithm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ConsoleAssetsTest {
  private static final Path FOLDER = Path.of("src", "main", "resources", "console");

  /** As .ci/vendor-console writes them: nobody changed a library, or exchanged it unseen. */
  private static final Map<String, String> VENDORED =
      Map.of(
          "hash-wasm.LICENSE.txt",
          "c14dea172f72f2714284a0ac2ab1b00b5352a01409d58255a46227ffc541debd",
          "htmx.min.js",
          "e1106da4d66040d5903904cf3df8d6f80000dad53736e0ab0a770ce66589fad4",
          "htmx.org.LICENSE.txt",
          "d3d2456f76414f2456104660ebd65aff1c04cd7966b942bdabd63f3cdb316a38",
          "sha256.umd.min.js",
          "89b236b7dfcac671c848332be5bcc1fadf15902a36871f9b5cbda309c86bd2e8",
          "tus-js-client.LICENSE.txt",
          "2ec372e137fa65938a6551e9abaa3d3ea21f5ebd398fca00a13354ea881e6539",
          "tus.min.js",
          "add9c5b4375b443a3838444a79710fa010ac91c1470f0900c5dcbd994307e4b2",
          "uPlot.iife.min.js",
          "a217d9d908877347fbfb37142389aa5f6ad00dfe6da019883921f90f99d23c23",
          "uPlot.min.css",
          "c568bbbd9251c7e11a3b6ef9928bcbba5583b33d393008f8fbe8cf49c3029dc6",
          "uplot.LICENSE.txt",
          "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd");

  /** Other servers, source maps, and scripts that make scripts of text. */
  private static final Pattern FORBIDDEN =
      Pattern.compile(
          "https?://(?!www\\.w3\\.org/)|sourceMappingURL|\\beval\\(|new Function\\(",
          Pattern.CASE_INSENSITIVE);

  @Test
  void librariesAreThoseThatWereTaken() throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> files = Files.list(FOLDER.resolve("vendor"))) {
      for (Path file : files.toList()) {
        found.put(
            file.getFileName().toString(),
            HexFormat.of()
                .formatHex(
                    DigestAlgorithm.SHA_256.newMessageDigest().digest(Files.readAllBytes(file))));
      }
    }
    assertThat(found).isEqualTo(new TreeMap<>(VENDORED));
  }

  /** Every library is named in the archive's SBOM, in the version that its banner says. */
  @Test
  void librariesAreInTheBillOfMaterials() throws IOException {
    String components = Files.readString(Path.of("src", "main", "assembly", "console-scripts.cdx"));
    JsonNode parsed = JsonMapper.shared().readTree("[" + components + "{}]");
    Set<String> named = new TreeSet<>();
    for (JsonNode component : parsed) {
      if (component.has("name")) {
        String library =
            component.get("name").asString() + ' ' + component.get("version").asString();
        assertThat(component.get("purl").asString())
            .isEqualTo("pkg:npm/" + library.replace(' ', '@'));
        named.add(library);
      }
    }
    Set<String> found = new TreeSet<>();
    try (Stream<Path> files = Files.list(FOLDER.resolve("vendor"))) {
      for (Path file : files.filter(each -> !each.toString().endsWith(".txt")).toList()) {
        found.add(Files.readString(file).replaceAll("(?s)^/\\* (\\S+ [^,]+),.*", "$1"));
      }
    }
    assertThat(named).isEqualTo(found).hasSize(4);
  }

  @Test
  void nothingIsFetchedFromElsewhere() throws IOException {
    new ConsoleAssets()
        .files()
        .forEach((address, asset) ->
            assertThat(new String(asset.bytes(), StandardCharsets.UTF_8))
                .as(address)
                .doesNotContainPattern(FORBIDDEN));
  }

  @Test
  void aFileHasAnAddressOfItsBytes() throws IOException {
    ConsoleAssets assets = new ConsoleAssets();
    assertThat(assets.address("console.css")).matches("/console/assets/[0-9a-f]{16}/console\\.css");
    assertThat(assets.files().get(assets.address("console.css"))).isNotNull();
    // Files find each other by names relative to their own.
    assertThat(assets.files().keySet()).allMatch(each -> each.startsWith("/console/assets/"));
  }

  /** Whatever a page needs is a file: styles, scripts and handlers in its text are refused. */
  @Test
  void templatesKeepToThePolicy() throws IOException {
    Pattern inline =
        Pattern.compile("<style|<script(?![^>]*\\bsrc=)|\\sstyle=|\\son[a-z]+=|\\shx-on|js:");
    try (Stream<Path> files = Files.walk(Path.of("src", "main", "jte"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(Files.readString(file))
            .as(file.toString())
            .doesNotContainPattern(inline)
            .doesNotContain("$unsafe");
      }
    }
    assertThat(Templates.POLICY).doesNotContain("unsafe").doesNotContain("http");
  }
}
