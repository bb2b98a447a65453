package io.artifactserver.rest.api.artifact;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.rest.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * Reads the fields of tus 1.0.0 (https://tus.io/protocols/resumable-upload). Pure functions; what
 * is malformed is a {@link ProblemException} that says how to write it.
 */
final class TusFields {
  static final String RESUMABLE = "Tus-Resumable";
  static final String VERSION = "1.0.0";
  static final String OFFSET = "Upload-Offset";
  static final String LENGTH = "Upload-Length";
  static final String DEFER_LENGTH = "Upload-Defer-Length";
  static final String METADATA = "Upload-Metadata";
  static final String CHECKSUM = "Upload-Checksum";
  static final String MEDIA_TYPE = "application/offset+octet-stream";

  private static final int MAX_DIGITS = 18;

  /** Most bytes of the metadata, which every unfinished upload keeps in memory. */
  private static final int MAX_METADATA = 4096;

  private TusFields() {}

  /** Refuses another version of the protocol, or none. */
  static void requireVersion(HttpServletRequest request) {
    if (!VERSION.equals(request.getHeader(RESUMABLE))) {
      throw new ProblemException(
          HttpStatus.PRECONDITION_FAILED,
          "Version of tus",
          "This resource speaks tus 1.0.0: send Tus-Resumable: 1.0.0.");
    }
  }

  /** Whether the request's body is the bytes of an upload. */
  static boolean hasBytes(HttpServletRequest request) {
    String contentType = request.getContentType();
    return contentType != null && contentType.strip().equalsIgnoreCase(MEDIA_TYPE);
  }

  /** Refuses a body of another type. */
  static void requireBytes(HttpServletRequest request) {
    if (!hasBytes(request)) {
      throw new ProblemException(
          HttpStatus.UNSUPPORTED_MEDIA_TYPE,
          "Not the bytes of an upload",
          "Send the bytes with Content-Type: application/offset+octet-stream, or by the IETF's"
              + " draft with application/partial-upload.");
    }
  }

  /** The position of the first byte of the body. */
  static long offset(HttpServletRequest request) {
    return number(request, OFFSET)
        .orElseThrow(() -> malformed(OFFSET, "PATCH needs it: the position of its first byte"));
  }

  /** The length of the upload, if the request says it. */
  static OptionalLong length(HttpServletRequest request) {
    return number(request, LENGTH);
  }

  /**
   * Reads the purpose of an upload that begins. Its length is unknown with Upload-Defer-Length: 1,
   * and when it has parts.
   *
   * @throws io.artifactserver.core.catalog.InvalidNameException if no artifact can have the name
   */
  static IngestRequest request(HttpServletRequest request, TusConcat concat) {
    OptionalLong length = length(request);
    String deferred = request.getHeader(DEFER_LENGTH);
    if (!concat.parts().isEmpty()) {
      if (length.isPresent() || deferred != null || request.getContentLengthLong() > 0) {
        throw malformed(TusConcat.FIELD, "A final upload has the bytes and lengths of its parts");
      }
    } else if (length.isPresent() == (deferred != null)
        || (deferred != null && !deferred.equals("1"))) {
      throw malformed(LENGTH, "Send either it or Upload-Defer-Length: 1");
    }
    Map<String, String> metadata = metadata(request.getHeader(METADATA));
    ArtifactId id = new ArtifactId(required(metadata, "repository"), required(metadata, "path"));
    return new IngestRequest(
        id,
        MediaTypes.checked(id, metadata.getOrDefault("mediaType", ""), METADATA + " mediaType"),
        length.orElse(IngestRequest.UNKNOWN_LENGTH),
        digests(metadata.get("sha256")));
  }

  /** The metadata of an upload, as its client is told it again: whatever else it has there. */
  static String sentMetadata(HttpServletRequest request) {
    String field = Objects.requireNonNullElse(request.getHeader(METADATA), "");
    if (field.length() > MAX_METADATA || !field.chars().allMatch(c -> c >= ' ' && c < 127)) {
      throw malformed(METADATA, "It is ASCII of at most %d characters".formatted(MAX_METADATA));
    }
    return field;
  }

  /** The metadata of an upload that began without any, by the draft. */
  static String metadata(IngestRequest request) {
    Map<String, String> metadata = new LinkedHashMap<>();
    metadata.put("repository", request.id().repository());
    metadata.put("path", request.id().path());
    metadata.put("mediaType", request.mediaType());
    request.expectedDigests().forEach(digest -> metadata.put("sha256", digest.hex()));
    StringBuilder field = new StringBuilder();
    metadata.forEach((key, value) ->
        field
            .append(field.isEmpty() ? "" : ",")
            .append(key)
            .append(' ')
            .append(Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8))));
    return field.toString();
  }

  /** The checksum of the body, if the request has one: an algorithm and Base64. */
  static Optional<Digest> checksum(HttpServletRequest request) {
    return Optional.ofNullable(request.getHeader(CHECKSUM)).map(TusFields::checksum);
  }

  static Digest checksum(String value) {
    String[] words = value.strip().split(" ", -1);
    Optional<DigestAlgorithm> algorithm = DigestAlgorithm.ofId(words[0].toLowerCase(Locale.ROOT));
    if (words.length == 2 && algorithm.isPresent()) {
      try {
        byte[] bytes = Base64.getDecoder().decode(words[1]);
        if (bytes.length == algorithm.get().length()) {
          return Digest.of(algorithm.get(), bytes);
        }
      } catch (IllegalArgumentException e) {
        // Falls through to the same answer as a wrong length.
      }
    }
    throw malformed(CHECKSUM, "Write an algorithm of OPTIONS and the Base64 of the raw digest");
  }

  static Map<String, String> metadata(@Nullable String field) {
    Map<String, String> metadata = new LinkedHashMap<>();
    if (field == null || field.isBlank()) {
      return metadata;
    }
    for (String pair : field.split(",", -1)) {
      String[] words = pair.strip().split(" ", 2);
      String value = words.length == 1 ? "" : text(words[1].strip());
      if (words[0].isEmpty() || metadata.put(words[0], value) != null) {
        throw malformed(METADATA, "Keys are different, and none is empty");
      }
    }
    return metadata;
  }

  private static String text(String base64) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(Base64.getDecoder().decode(base64)))
          .toString();
    } catch (IllegalArgumentException | CharacterCodingException e) {
      throw malformed(METADATA, "Values are the Base64 of UTF-8");
    }
  }

  private static String required(Map<String, String> metadata, String key) {
    String value = metadata.getOrDefault(key, "");
    if (value.isEmpty()) {
      throw malformed(
          METADATA,
          "It needs repository and path, and may have sha256 and mediaType; \"%s\" is missing"
              .formatted(key));
    }
    return value;
  }

  private static List<Digest> digests(@Nullable String sha256) {
    if (sha256 == null) {
      return List.of();
    }
    try {
      return List.of(new Digest(DigestAlgorithm.SHA_256, sha256.toLowerCase(Locale.ROOT)));
    } catch (IllegalArgumentException e) {
      throw malformed(METADATA, "sha256 has 64 hexadecimal digits");
    }
  }

  private static OptionalLong number(HttpServletRequest request, String name) {
    String value = request.getHeader(name);
    if (value == null) {
      return OptionalLong.empty();
    }
    if (Collections.list(request.getHeaders(name)).size() > 1) {
      throw malformed(name, "Send it once");
    }
    if (value.isEmpty()
        || value.length() > MAX_DIGITS
        || !value.chars().allMatch(digit -> digit >= '0' && digit <= '9')) {
      throw malformed(name, "It is a number of bytes of at most 18 digits");
    }
    return OptionalLong.of(Long.parseLong(value));
  }

  private static ProblemException malformed(String name, String rule) {
    return new ProblemException(
        HttpStatus.BAD_REQUEST, "Malformed " + name, "%s. See docs/uploads.md.".formatted(rule));
  }
}
