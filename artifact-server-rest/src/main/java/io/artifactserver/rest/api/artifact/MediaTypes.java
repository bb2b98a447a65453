package io.artifactserver.rest.api.artifact;

import java.util.Locale;
import java.util.Map;

/** Media types by the suffix of a path, for uploads that name none. docs/storage.md lists them. */
final class MediaTypes {
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

  /** Returns the type for an artifact whose upload names none. */
  static String of(String path) {
    int dot = path.lastIndexOf('.');
    return dot <= path.lastIndexOf('/')
        ? DEFAULT
        : BY_SUFFIX.getOrDefault(path.substring(dot + 1).toLowerCase(Locale.ROOT), DEFAULT);
  }
}
