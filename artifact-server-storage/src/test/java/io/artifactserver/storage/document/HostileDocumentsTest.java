package io.artifactserver.storage.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.attachment.AttachmentKind;
import io.artifactserver.core.attachment.BadDocumentException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.io.IOException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Documents that attack their readers are refused, and no document makes a reader ask the network:
 * every connection of the JDK asks the proxy selector first.
 */
class HostileDocumentsTest {
  private static final Digest ARTIFACT = new Digest(DigestAlgorithm.SHA_256, "a".repeat(64));
  private static final LibraryDocumentReader READER = new LibraryDocumentReader();
  private static final List<URI> ASKED = new CopyOnWriteArrayList<>();
  private static final ProxySelector BEFORE = ProxySelector.getDefault();

  @TempDir private static Path folder;

  @BeforeAll
  static void watch() {
    ProxySelector.setDefault(
        new ProxySelector() {
          @Override
          public List<Proxy> select(URI uri) {
            ASKED.add(uri);
            return List.of(Proxy.NO_PROXY);
          }

          @Override
          public void connectFailed(URI uri, SocketAddress address, IOException failure) {
            // Counted already.
          }
        });
  }

  @AfterAll
  static void leave() {
    ProxySelector.setDefault(BEFORE);
  }

  @AfterEach
  void noneAskedTheNetwork() {
    assertThat(ASKED).isEmpty();
  }

  private static void refused(String text, String reason) {
    refused(text.getBytes(StandardCharsets.UTF_8), reason);
  }

  private static void refused(byte[] content, String reason) {
    for (AttachmentKind kind : List.of(AttachmentKind.SBOM, AttachmentKind.VEX)) {
      assertThatThrownBy(() -> READER.read(kind, content, ARTIFACT))
          .isInstanceOf(BadDocumentException.class)
          .hasMessageMatching("(?s)Line \\d+: .*" + reason + ".*");
    }
  }

  private static String xml(String type, String name) {
    return Documents.cycloneDxXml("1.6")
        .replace("?>\n", "?>\n" + type + "\n")
        .replace("busybox", name);
  }

  @Test
  void entitiesOfFilesAndServers() throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), "the secret");
    for (String address : List.of(secret.toUri().toString(), "http://127.0.0.1:9/x")) {
      refused(
          xml("<!DOCTYPE bom [<!ENTITY x SYSTEM \"%s\">]>".formatted(address), "&x;"), "DOCTYPE");
      refused(xml("<!DOCTYPE bom SYSTEM \"%s\">".formatted(address), "x"), "DOCTYPE");
      refused(
          xml("<!DOCTYPE bom [<!ENTITY %% x SYSTEM \"%s\"> %%x;]>".formatted(address), "x"),
          "DOCTYPE");
    }
    refused(xml("", "&x;"), "");
  }

  @Test
  void entitiesThatGrow() {
    StringBuilder type = new StringBuilder("<!DOCTYPE bom [<!ENTITY l0 \"lol\">");
    for (int i = 1; i < 30; i++) {
      type.append("<!ENTITY l%d \"&l%d;&l%d;\">".formatted(i, i - 1, i - 1));
    }
    refused(xml(type + "]>", "&l29;"), "DOCTYPE");
    refused(
        xml("<!DOCTYPE bom [<!ENTITY a \"%s\">]>".formatted("a".repeat(1000)), "&a;"), "DOCTYPE");
  }

  /** Documents that this reader and the library's could read differently. */
  @ParameterizedTest
  @ValueSource(strings = {"UTF-16BE", "UTF-16LE", "UTF-32BE", "ISO-8859-1", "IBM037"})
  void otherEncodings(String name) {
    String text = xml("<!DOCTYPE bom [<!ENTITY x SYSTEM \"http://127.0.0.1:9/\">]>", "&x;");
    Charset charset = Charset.forName(name);
    refused(text.replace("UTF-8", name).getBytes(charset), "");
    refused(text.replace(" encoding=\"UTF-8\"", "").getBytes(charset), "");
  }

  @Test
  void deepNesting() {
    int depth = 100_000;
    refused("<a>".repeat(depth), "deeper than 64");
    refused("[".repeat(depth), "64");
    refused("{\"a\":".repeat(depth), "64");
    String components = "{\"type\":\"library\",\"name\":\"x\",\"components\":[".repeat(200);
    refused(
        "{\"bomFormat\":\"CycloneDX\",\"specVersion\":\"1.6\",\"components\":["
            + components
            + "]}".repeat(200)
            + "]}",
        "64");
  }

  @Test
  void manyAndLongValues() {
    refused("[" + "[],".repeat(1_500_000) + "[]]", "");
    refused("{\"a\": " + "9".repeat(100_000) + "}", "");
    refused("{\"a\": 1, \"a\": 2}", "[Dd]uplicate");
    refused("{\"a\": \"" + "\\u0000".repeat(10) + "\"", "");
  }

  @Test
  void expressionsOfLicencesWithManyBrackets() {
    String spdx = Documents.spdx("2.3");
    for (String licence :
        List.of("(".repeat(1_000_000), "(".repeat(100_000) + "MIT" + ")".repeat(100_000))) {
      assertThatThrownBy(() ->
              READER.read(
                  AttachmentKind.SBOM, bytes(spdx.replace("GPL-2.0-only", licence)), ARTIFACT))
          .isInstanceOf(BadDocumentException.class);
    }
  }

  /** Patterns of the schemas are tried on each of them. */
  @Test
  void longAddresses() throws Exception {
    String address = "a".repeat(1_000_000);
    for (String field : List.of("\"purl\": ", "\"cpe\": ", "\"mime-type\": ")) {
      try {
        var _ =
            READER.read(
                AttachmentKind.SBOM,
                bytes(
                    Documents.cycloneDx("1.6")
                        .replace("\"name\":", field + '"' + address + "\", \"name\":")),
                ARTIFACT);
      } catch (BadDocumentException e) {
        assertThat(e.getMessage()).hasSizeLessThan(600);
      }
    }
  }

  /** Each fault alone would fit into memory. */
  @Test
  void aMillionFaults() {
    refused(
        "{\"bomFormat\":\"CycloneDX\",\"specVersion\":\"1.6\",\"components\":["
            + "1,".repeat(1_900_000)
            + "1]}",
        "");
    refused(
        "<bom xmlns=\"http://cyclonedx.org/schema/bom/1.6\" version=\"1\"><components>"
            + "<a/>".repeat(900_000)
            + "</components></bom>",
        "");
  }

  /** Each product has many files, and each vulnerability affects all of them. */
  @Test
  void productsOfCsafMultiply() {
    String hash = "{\"algorithm\":\"sha256\",\"value\":\"%s\"}".formatted("a".repeat(64));
    String start = "{\"document\":{\"csaf_version\":\"2.0\"},\"product_tree\":";
    String product =
        "{\"product_id\":\"p\",\"product_identification_helper\":{\"hashes\":[{\"file_hashes\":[%s]}]}}"
            .formatted(String.join(",", Collections.nCopies(9_000, hash)));
    String vulnerability = "{\"cve\":\"C\",\"product_status\":{\"known_affected\":[\"p\"]}}";
    refusedVex(
        start
            + "{\"full_product_names\":[%s]},\"vulnerabilities\":[%s]}"
                .formatted(product, String.join(",", Collections.nCopies(9_000, vulnerability))),
        "10000");
    // A product that is itself, by another name.
    String circle = "{\"product_reference\":\"p\",\"full_product_name\":{\"product_id\":\"p\"}}";
    refusedVex(
        start
            + "{\"full_product_names\":[%s],\"relationships\":[%s]},\"vulnerabilities\":[%s]}"
                .formatted(product, circle, vulnerability),
        "10000");
  }

  private static void refusedVex(String text, String reason) {
    assertThatThrownBy(() -> READER.read(AttachmentKind.VEX, bytes(text), ARTIFACT))
        .isInstanceOf(BadDocumentException.class)
        .hasMessageContaining(reason);
  }

  /** Addresses in documents are names: nobody fetches them. */
  @Test
  void addressesInDocumentsAreNotFetched() throws Exception {
    String address = "http://127.0.0.1:9/schema";
    String json =
        Documents.cycloneDx("1.6")
            .replaceFirst("\\{", "{ \"\\$schema\": \"%s\",".formatted(address));
    // A strict schema refuses the address; none fetches it.
    try {
      var _ = READER.read(AttachmentKind.SBOM, bytes(json), ARTIFACT);
    } catch (BadDocumentException e) {
      assertThat(e).hasMessageContaining("$schema");
    }
    String xml =
        Documents.cycloneDxXml("1.6")
            .replace(
                " version=\"1\"",
                " version=\"1\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
                    + " xsi:schemaLocation=\"http://cyclonedx.org/schema/bom/1.6 %s\""
                        .formatted(address));
    assertThat(READER.read(AttachmentKind.SBOM, bytes(xml), ARTIFACT).format())
        .isEqualTo("CycloneDX 1.6");
    String spdx =
        Documents.spdx("2.3")
            .replace("GPL-2.0-only", "LicenseRef-unknown")
            .replace(
                "\"packages\":",
                """
                "externalDocumentRefs": [ { "externalDocumentId": "DocumentRef-other",
                  "spdxDocument": "%s",
                  "checksum": { "algorithm": "SHA1", "checksumValue": "%s" } } ],
                "packages":
                """
                    .formatted(address, "0".repeat(40)));
    try {
      var _ = READER.read(AttachmentKind.SBOM, bytes(spdx), ARTIFACT);
    } catch (BadDocumentException e) {
      assertThat(e).hasMessageContaining("LicenseRef-unknown");
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
