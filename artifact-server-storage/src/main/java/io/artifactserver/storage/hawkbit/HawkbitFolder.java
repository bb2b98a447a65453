package io.artifactserver.storage.hawkbit;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.StorageException.BlobNotFound;
import io.artifactserver.core.blob.StorageException.StorageUnavailable;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.grant.GrantedArtifact;
import io.artifactserver.core.grant.GrantedFile;
import io.artifactserver.core.grant.GrantedFiles;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The folder in which hawkBit keeps its artifacts, {@code {root}/{TENANT}/{cd}/{ef}/{sha1}} with
 * the last four digits of the SHA-1. Reads, and never writes. Thread-safe.
 *
 * <p>hawkBit moves a finished upload here from its folder for temporary files; between file systems
 * that move is a copy, which can be seen half done. So a file is read whole and compared with the
 * SHA-256 before its first byte leaves, once for as long as it stays the same file.
 */
public final class HawkbitFolder implements GrantedFiles {
  static final String NAME = "hawkbit";

  /** Files of which is remembered that they are whole. */
  private static final int MAX_REMEMBERED = 10_000;

  /** In bytes. */
  private static final int READ_AT_ONCE = 256 * 1024;

  private final Path root;
  private final MappedFiles mappedFiles;
  private final ConcurrentHashMap<Key, Checked> checked = new ConcurrentHashMap<>();

  /**
   * @param root may be absent until the first file is asked for
   * @param mappedFiles for the regions of the files; closed by the caller
   */
  public HawkbitFolder(Path root, MappedFiles mappedFiles) {
    this.root = root;
    this.mappedFiles = mappedFiles;
  }

  @Override
  public Optional<GrantedFile> known(GrantedArtifact artifact) {
    return Optional.ofNullable(checked.get(Key.of(artifact))).map(Checked::file);
  }

  @Override
  public GrantedFile check(GrantedArtifact artifact) throws StorageException {
    Checked before = checked.get(Key.of(artifact));
    Checked after = null;
    try (FileChannel _ = open(artifact)) {
      after = Objects.requireNonNull(checked.get(Key.of(artifact)));
      return after.file();
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw unavailable(artifact, "cannot be read: " + e, e);
    } finally {
      if (before != null && !before.equals(after)) {
        // Or a file that is no longer there would be served as long as somebody asks for it.
        mappedFiles.forget(HawkbitBlob.mappingKey(artifact));
      }
    }
  }

  /** Remembers a file that is known to be whole. I/O. */
  GrantedFile adopt(GrantedArtifact artifact) throws IOException {
    Checked file = checked(artifact, Identity.of(path(artifact)));
    remember(Key.of(artifact), file);
    return file.file();
  }

  /** A file was deleted: nobody is sent any more of it but those who are being sent it. */
  void forget(Path deleted) {
    checked.forEach((key, file) -> {
      if (path(file.artifact()).equals(deleted) && checked.remove(key, file)) {
        mappedFiles.forget(HawkbitBlob.mappingKey(file.artifact()));
      }
    });
  }

  private Checked checked(GrantedArtifact artifact, Identity identity) {
    return new Checked(
        artifact,
        identity,
        new GrantedFile(new HawkbitBlob(artifact, this, mappedFiles), identity.modifiedAt()));
  }

  /**
   * Opens the file, and reads all of it if it is not the one that was read before. The caller
   * closes the channel.
   */
  FileChannel open(GrantedArtifact artifact) throws StorageException {
    Path path = path(artifact);
    FileChannel channel = null;
    try {
      Identity before = Identity.of(path);
      channel = FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
      Checked known = checked.get(Key.of(artifact));
      if (known == null || !known.identity().equals(before)) {
        requireContent(artifact, channel);
        known = checked(artifact, before);
      }
      // Another file may have taken its place before it was opened.
      if (!Identity.of(path).equals(before)) {
        throw unavailable(artifact, "changed while it was read; it will be read again", null);
      }
      remember(Key.of(artifact), known);
      return channel;
    } catch (IOException e) {
      checked.remove(Key.of(artifact));
      close(channel);
      throw classified(artifact, path, e);
    }
  }

  /** One that goes is read again when it is asked for. */
  private void remember(Key key, Checked file) {
    if (checked.mappingCount() >= MAX_REMEMBERED) {
      checked.keySet().stream().findAny().ifPresent(checked::remove);
    }
    checked.put(key, file);
  }

  private StorageException classified(GrantedArtifact artifact, Path path, IOException failure) {
    return switch (failure) {
      case StorageException known -> known;
      // hawkBit makes a tenant's folder with its first artifact, and an empty mount has none.
      case NoSuchFileException _ when !Files.isDirectory(root.resolve(artifact.tenant())) ->
          unavailable(
              artifact,
              "is not there, and nor is its tenant's folder. Is hawkBit's folder mounted at %s?"
                  .formatted(root),
              failure);
      case NoSuchFileException _ -> new BlobNotFound(NAME, HawkbitBlob.ref(artifact), failure);
      case AccessDeniedException _ ->
          unavailable(
              artifact,
              "is not readable for user %s: hawkBit writes its files for its own user only (0600), so run this server with the same uid"
                  .formatted(System.getProperty("user.name")),
              failure);
      default ->
          unavailable(artifact, "cannot be opened at %s: %s".formatted(path, failure), failure);
    };
  }

  static StorageUnavailable unavailable(
      GrantedArtifact artifact, String detail, @Nullable Throwable cause) {
    return new StorageUnavailable(
        NAME,
        "the file of tenant %s with %s %s".formatted(artifact.tenant(), artifact.sha1(), detail),
        cause);
  }

  private static void requireContent(GrantedArtifact artifact, FileChannel channel)
      throws IOException {
    long length = channel.size();
    if (length != artifact.length()) {
      throw unavailable(
          artifact, "has %d bytes, not %d".formatted(length, artifact.length()), null);
    }
    MessageDigest sha256 = DigestAlgorithm.SHA_256.newMessageDigest();
    // A message digest copies a direct buffer through a small array.
    ByteBuffer buffer = ByteBuffer.allocate(READ_AT_ONCE);
    long position = 0;
    while (position < length) {
      int count = channel.read(buffer.clear(), position);
      if (count < 0) {
        throw unavailable(artifact, "ends at byte " + position, null);
      }
      sha256.update(buffer.flip());
      position += count;
    }
    Digest found = Digest.of(DigestAlgorithm.SHA_256, sha256.digest());
    if (!found.equals(artifact.digests().sha256())) {
      throw unavailable(
          artifact, "has %s, not %s".formatted(found, artifact.digests().sha256()), null);
    }
  }

  /** Of characters that were checked: a tenant's, and hexadecimal digits. */
  Path path(GrantedArtifact artifact) {
    String sha1 = artifact.sha1().hex();
    int end = sha1.length();
    return root.resolve(artifact.tenant())
        .resolve(sha1.substring(end - 4, end - 2))
        .resolve(sha1.substring(end - 2))
        .resolve(sha1);
  }

  private static void close(@Nullable FileChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException _) {
        // Nothing was written.
      }
    }
  }

  /** A content of a tenant. */
  record Key(String tenant, Digest sha256) {
    static Key of(GrantedArtifact artifact) {
      return new Key(artifact.tenant(), artifact.digests().sha256());
    }
  }

  /** A file that was read whole. */
  private record Checked(GrantedArtifact artifact, Identity identity, GrantedFile file) {}

  /** By which a file that took the place of another is told from it. */
  private record Identity(@Nullable Object inode, long length, Instant modifiedAt) {
    static Identity of(Path path) throws IOException {
      BasicFileAttributes attributes =
          Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return new Identity(
          attributes.fileKey(), attributes.size(), attributes.lastModifiedTime().toInstant());
    }
  }
}
