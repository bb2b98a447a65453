package io.artifactserver.storage.local.file;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore.StoredBlob;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Lists the blobs of a folder. A shard is read and closed at once: a stream holds no folder open,
 * and the names of 1/256 of the store at most. Immutable, thread-safe; failures are {@link
 * UncheckedIOException}s.
 *
 * @param folder of all blobs
 */
record Shards(Path folder, FileErrors errors) {
  private static final Pattern SHARD_NAME = Pattern.compile("[0-9a-f]{2}");

  /** All blobs, read lazily. */
  Stream<StoredBlob> blobs() {
    return shards(folder).stream()
        .flatMap(first ->
            shards(folder.resolve(first)).stream()
                .flatMap(second -> blobsIn(first, second).stream()));
  }

  private List<StoredBlob> blobsIn(String first, String second) {
    Path shard = folder.resolve(first).resolve(second);
    List<StoredBlob> blobs = new ArrayList<>();
    for (String name : names(shard)) {
      if (BlobRef.isKey(name) && name.startsWith(first + second)) {
        stored(name, shard.resolve(name)).ifPresent(blobs::add);
      }
    }
    return blobs;
  }

  private Optional<StoredBlob> stored(String key, Path file) {
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return attributes.isRegularFile()
          ? Optional.of(
              new StoredBlob(
                  new BlobRef(key, attributes.size()), attributes.lastModifiedTime().toInstant()))
          : Optional.empty();
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(errors.ofStore("list", e));
    }
  }

  private List<String> shards(Path parent) {
    return names(parent).stream().filter(SHARD_NAME.asMatchPredicate()).toList();
  }

  /** Names of what is in a folder; none if it is not there. */
  List<String> names(Path any) {
    try (Stream<Path> entries = Files.list(any)) {
      return entries.map(entry -> Objects.requireNonNull(entry.getFileName()).toString()).toList();
    } catch (NotDirectoryException | NoSuchFileException _) {
      return List.of();
    } catch (UncheckedIOException e) {
      throw new UncheckedIOException(errors.ofStore("list", Objects.requireNonNull(e.getCause())));
    } catch (IOException e) {
      throw new UncheckedIOException(errors.ofStore("list", e));
    }
  }
}
