package io.artifactserver.storage.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.attachment.AttachmentKind;
import io.artifactserver.core.attachment.BadDocumentException;
import io.artifactserver.core.attachment.DocumentReader.Affected;
import io.artifactserver.core.attachment.DocumentReader.Document;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** SBOMs and VEX are read by the libraries of their formats, and broken ones tell the line. */
class LibraryDocumentReaderTest {
  private static final Digest ARTIFACT = new Digest(DigestAlgorithm.SHA_256, "a".repeat(64));
  private static final Digest OTHER = new Digest(DigestAlgorithm.SHA_256, "b".repeat(64));
  private static final LibraryDocumentReader READER = new LibraryDocumentReader();

  private static Document read(AttachmentKind kind, String text) throws BadDocumentException {
    return READER.read(kind, text.getBytes(StandardCharsets.UTF_8), ARTIFACT);
  }

  @ParameterizedTest
  @CsvSource({"1.2", "1.3", "1.4", "1.5", "1.6"})
  void cycloneDxInJson(String version) throws Exception {
    assertThat(read(AttachmentKind.SBOM, Documents.cycloneDx(version)).format())
        .isEqualTo("CycloneDX " + version);
  }

  @ParameterizedTest
  @CsvSource({"1.4", "1.5", "1.6"})
  void cycloneDxInXml(String version) throws Exception {
    assertThat(read(AttachmentKind.SBOM, Documents.cycloneDxXml(version)).format())
        .isEqualTo("CycloneDX " + version);
  }

  @ParameterizedTest
  @CsvSource({"2.2", "2.3"})
  void spdxInJson(String version) throws Exception {
    assertThat(read(AttachmentKind.SBOM, Documents.spdx(version)).format())
        .isEqualTo("SPDX " + version);
  }

  @Test
  void aVexSaysWhatIsAffected() throws Exception {
    assertThat(read(AttachmentKind.VEX, Documents.openVex("affected")))
        .isEqualTo(
            new Document(
                "OpenVEX 0.2.0",
                List.of(
                    new Affected("CVE-2026-0001", ARTIFACT),
                    new Affected("CVE-2026-0002", OTHER))));
    assertThat(read(AttachmentKind.VEX, Documents.openVex("fixed")).affected())
        .containsExactly(new Affected("CVE-2026-0002", OTHER));
    assertThat(read(AttachmentKind.VEX, Documents.cycloneDxVex("exploitable")).affected())
        .containsExactly(
            new Affected("CVE-2026-0001", ARTIFACT), new Affected("CVE-2026-0002", OTHER));
    assertThat(read(AttachmentKind.VEX, Documents.cycloneDxVex("not_affected")).affected())
        .containsExactly(new Affected("CVE-2026-0002", OTHER));
  }

  @Test
  void csafSaysWhichProductsAreAffected() throws Exception {
    for (String status : List.of("known_affected", "first_affected", "last_affected")) {
      assertThat(read(AttachmentKind.VEX, Documents.csaf(status)))
          .isEqualTo(
              new Document(
                  "CSAF 2.0",
                  List.of(
                      new Affected("CVE-2026-0001", ARTIFACT),
                      new Affected("CVE-2026-0002", OTHER))));
    }
    for (String status : List.of("known_not_affected", "fixed", "under_investigation")) {
      assertThat(read(AttachmentKind.VEX, Documents.csaf(status)).affected())
          .containsExactly(new Affected("CVE-2026-0002", OTHER));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2 | \"2.0\" | \"1.2\"",
        "9 | \"sha256\", \"value\": \" | \"sha256\", \"value\": \"x",
        "10 | \"product_id\": \"other\" | \"product\": \"other\"",
        "16 | [ \"other\" ] | [ \"absent\" ]",
        "16 | [ \"other\" ] | \"other\"",
        "16 | \"cve\" | \"cwe\"",
        "15 | \"vulnerabilities\": [ | \"vulnerabilities\": [], \"x\": [",
      })
  void brokenCsafTellsTheLine(int line, String good, String bad) {
    String text = Documents.csaf("known_affected");
    assertThat(text).contains(good);
    assertThatThrownBy(() -> read(AttachmentKind.VEX, text.replace(good, bad)))
        .isInstanceOf(BadDocumentException.class)
        .hasMessageStartingWith("Line %d: ".formatted(line));
  }

  @Test
  void spdx3IsKeptUnread() throws Exception {
    assertThat(read(AttachmentKind.SBOM, Documents.spdx3())).isEqualTo(Document.UNREAD);
    assertThatThrownBy(() -> read(AttachmentKind.SBOM, Documents.spdx3().replace("]", "")))
        .isInstanceOf(BadDocumentException.class)
        .hasMessageStartingWith("Line 4: ");
    // Unread, it would say that nothing is affected.
    assertThatThrownBy(() -> read(AttachmentKind.VEX, Documents.spdx3()))
        .isInstanceOf(BadDocumentException.class);
  }

  @ParameterizedTest
  @EnumSource(names = {"SIGNATURE", "PROVENANCE", "NOTES"})
  void otherKindsAreNotRead(AttachmentKind kind) throws Exception {
    assertThat(read(kind, "anything")).isEqualTo(Document.UNREAD);
  }

  /** Each fault is on the line that the table says. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "5 | \"type\": \"library\" | \"type\": \"nothing\"",
        "5 | \"name\": \"busybox\", | ",
        "5 | \"type\": \"library\" | \"type\": 7",
        "3 | \"1.6\" | \"9.9\"",
        "7 | \"1.36.1\" | \"1.36.1\" x",
        "7 | \"1.36.1\" | \"1.36.1\", \"version\": \"2\"",
      })
  void aBrokenOneTellsTheLine(int line, String good, @Nullable String bad) {
    String text = Documents.cycloneDx("1.6");
    assertThat(text).contains(good);
    assertThatThrownBy(() -> read(AttachmentKind.SBOM, text.replace(good, bad == null ? "" : bad)))
        .isInstanceOf(BadDocumentException.class)
        .hasMessageMatching("(?s)Line (%d|%d): .*".formatted(line, line - 1));
  }

  @Test
  void brokenXmlAndSpdxAndOpenVexTellTheLine() {
    assertThatThrownBy(() ->
            read(
                AttachmentKind.SBOM,
                Documents.cycloneDxXml("1.6").replace("\"library\"", "\"nothing\"")))
        .isInstanceOf(BadDocumentException.class)
        .hasMessageStartingWith("Line 4: ");
    assertThatThrownBy(
            () -> read(AttachmentKind.SBOM, Documents.cycloneDxXml("1.6").replace("</name>", "")))
        .isInstanceOf(BadDocumentException.class)
        .hasMessageMatching("(?s)Line [5-9]: .*");
    assertThatThrownBy(() ->
            read(
                AttachmentKind.SBOM,
                Documents.spdx("2.3").replace("\"downloadLocation\": \"NOASSERTION\"", "\"x\": 1")))
        .isInstanceOf(BadDocumentException.class)
        .hasMessageMatching("(?s)Line 1[0-9]: .*");
    assertThatThrownBy(() -> read(AttachmentKind.VEX, Documents.openVex("perhaps")))
        .isInstanceOf(BadDocumentException.class)
        .hasMessageStartingWith("Line 8: ");
  }

  @ParameterizedTest
  @CsvSource({
    "SBOM, {}",
    "SBOM, []",
    "SBOM, null",
    "SBOM, ''",
    "SBOM, <a/>",
    "SBOM, {\"spdxVersion\": \"SPDX-3.0\"}",
    "SBOM, {\"spdxVersion\": 7}",
    "SBOM, {\"spdxVersion\": \"SPDX-2.3\"}",
    "VEX, {\"spdxVersion\": \"SPDX-2.3\"}",
    "VEX, {\"@context\": \"https://openvex.dev/ns/v0.2.0\"}",
  })
  void whatIsNoDocumentIsRefused(AttachmentKind kind, String text) {
    assertThatThrownBy(() -> read(kind, text))
        .isInstanceOf(BadDocumentException.class)
        .hasMessageStartingWith("Line 1: ");
  }
}
