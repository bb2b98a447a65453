package io.artifactserver.rest.api.artifact;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.rest.problem.ProblemException;
import java.util.Locale;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/** Media types by the suffix of a path, for uploads that name none. docs/storage.md lists them. */
public final class MediaTypes {
  private static final int MAX_LENGTH = 255;
  private static final String DEFAULT = "application/octet-stream";

  /** Those by which clients decide what to do. UEFI's HTTP boot goes by its three. */
  private static final Map<String, String> BY_SUFFIX =
      Map.ofEntries(
          Map.entry("efi", "application/efi"),
          Map.entry("iso", "application/vnd.efi.iso"),
          Map.entry("img", "application/vnd.efi.img"),
          Map.entry("json", "application/json"),
          Map.entry("xml", "application/xml"),
          Map.entry("txt", "text/plain"),
          Map.entry("zip", "application/zip"),
          Map.entry("tar", "application/x-tar"),
          Map.entry("gz", "application/gzip"),
          Map.entry("xz", "application/x-xz"),
          Map.entry("zst", "application/zstd"));

  private MediaTypes() {}

  /**
   * Returns the type that an upload names, checked; or the one for its path.
   *
   * @param type as it was sent; blank if the upload names none
   * @param field that had it, for the sender
   * @throws ProblemException if it is not one type
   */
  public static String checked(ArtifactId id, String type, String field) {
    if (type.isBlank()) {
      return of(id.path());
    }
    try {
      MediaType mediaType = MediaType.parseMediaType(type);
      if (mediaType.isConcrete() && type.length() <= MAX_LENGTH) {
        return mediaType.toString();
      }
    } catch (InvalidMediaTypeException e) {
      // Falls through to the same answer as a wildcard.
    }
    throw new ProblemException(
        HttpStatus.BAD_REQUEST,
        "Malformed " + field,
        "%s is one media type of at most %d characters, such as application/octet-stream."
            .formatted(field, MAX_LENGTH));
  }

  /** Returns the type for an artifact whose upload names none. */
  static String of(String path) {
    int dot = path.lastIndexOf('.');
    return dot <= path.lastIndexOf('/')
        ? DEFAULT
        : BY_SUFFIX.getOrDefault(path.substring(dot + 1).toLowerCase(Locale.ROOT), DEFAULT);
  }
}
