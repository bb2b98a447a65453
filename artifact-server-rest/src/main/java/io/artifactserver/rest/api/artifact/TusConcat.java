package io.artifactserver.rest.api.artifact;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.rest.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.http.HttpStatus;

/**
 * The field Upload-Concat of tus: whether an upload is a part, or has parts.
 *
 * @param isPart whether its bytes are for another upload
 * @param parts ids of the uploads that it gets its bytes from; empty for one that is sent its bytes
 */
record TusConcat(boolean isPart, List<String> parts) {
  static final String FIELD = "Upload-Concat";

  private static final String FINAL = "final;";
  private static final String PARTIAL = "partial";
  private static final int MAX_PARTS = 1000;

  /**
   * Reads the field of a request.
   *
   * @throws ProblemException if it is malformed
   */
  static TusConcat of(HttpServletRequest request) {
    String field = request.getHeader(FIELD);
    return field == null ? new TusConcat(false, List.of()) : parse(field);
  }

  static TusConcat parse(String field) {
    String value = field.strip();
    if (value.equals(PARTIAL)) {
      return new TusConcat(true, List.of());
    }
    if (!value.startsWith(FINAL)) {
      throw malformed("It is partial, or final; and the addresses of the parts");
    }
    List<String> parts =
        Arrays.stream(value.substring(FINAL.length()).strip().split(" +", MAX_PARTS + 1))
            .map(TusConcat::id)
            .toList();
    if (parts.size() > MAX_PARTS || new HashSet<>(parts).size() < parts.size()) {
      throw malformed("There are at most %d parts, each of them once".formatted(MAX_PARTS));
    }
    return new TusConcat(false, parts);
  }

  /** The field, as an answer has it. */
  Optional<String> field() {
    if (isPart) {
      return Optional.of(PARTIAL);
    }
    return parts.isEmpty()
        ? Optional.empty()
        : Optional.of(
            parts.stream()
                .map(id -> TusController.PATH + '/' + id)
                .collect(Collectors.joining(" ", FINAL, "")));
  }

  /** The id in an address, whatever server it names: clients have it from a Location. */
  private static String id(String address) {
    int slash = address.lastIndexOf('/');
    String id = address.substring(slash + 1);
    if (!address.substring(0, Math.max(0, slash)).endsWith(TusController.PATH)
        || !BlobRef.isKey(id)) {
      throw malformed("A part's address is the Location that its upload was answered with");
    }
    return id;
  }

  private static ProblemException malformed(String rule) {
    return new ProblemException(
        HttpStatus.BAD_REQUEST, "Malformed " + FIELD, "%s. See docs/uploads.md.".formatted(rule));
  }
}
