package io.artifactserver.storage.document;

import io.artifactserver.core.attachment.BadDocumentException;
import io.artifactserver.core.attachment.DocumentReader.Document;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.spdx.core.InvalidSPDXAnalysisException;
import org.spdx.jacksonstore.MultiFormatStore;
import org.spdx.library.SpdxModelFactory;
import org.spdx.library.model.v2.SpdxDocument;
import org.spdx.storage.simple.InMemSpdxStore;

/** Reads SPDX 2.2 and 2.3 in JSON by its own library. Thread-safe. */
final class SpdxDocuments {
  static final String NAME = "SPDX";

  /** The version follows. */
  private static final String CONTEXT = "https://spdx.org/rdf/3.";

  /** Without it, the library asks spdx.org for its list of licences. */
  private static final String OFFLINE = "org.spdx.useJARLicenseInfoOnly";

  private static final Pattern ELEMENT = Pattern.compile("SPDXRef-[A-Za-z0-9.-]+");
  private static final String PREFIX = "SPDX-";

  /** Whether it is JSON-LD of SPDX 3, which this library does not read. */
  static boolean isVersion3(JsonDocument json) {
    return json.root().path("@context").asText().startsWith(CONTEXT);
  }

  Document read(JsonDocument json, byte[] content) throws BadDocumentException {
    String version = json.root().path("spdxVersion").asText("");
    if (!version.equals("SPDX-2.3") && !version.equals("SPDX-2.2")) {
      throw new BadDocumentException(
          json.line("/spdxVersion"),
          "SPDX \"%s\" is not known here; SPDX-2.2 and SPDX-2.3 are".formatted(version));
    }
    String _ = System.setProperty(OFFLINE, "true");
    SpdxModelFactory.init();
    // In memory: there is nothing to close.
    MultiFormatStore store =
        new MultiFormatStore(new InMemSpdxStore(), MultiFormatStore.Format.JSON);
    try {
      SpdxDocument document = store.deSerialize(new ByteArrayInputStream(content), false);
      List<String> faults = document.verify();
      if (!faults.isEmpty()) {
        throw bad(json, faults.getFirst());
      }
    } catch (InvalidSPDXAnalysisException | IOException e) {
      throw bad(json, String.valueOf(e.getMessage()));
    }
    return new Document(NAME + ' ' + version.substring(PREFIX.length()), List.of());
  }

  /** The library names elements, by their ids or names, and no lines. */
  private static BadDocumentException bad(JsonDocument json, String reason) {
    List<String> ids = ELEMENT.matcher(reason).results().map(MatchResult::group).toList();
    List<String> words = List.of(reason.split("[\\s\"',:()]+"));
    return new BadDocumentException(json.lineOf(ids.isEmpty() ? words : ids), reason);
  }
}
