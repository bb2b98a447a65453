package io.artifactserver.core.derive;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.digest.Digest;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which forms of which blobs are kept. A blob's rows go with the blob's. Thread-safe; every method
 * asks the database.
 */
public interface DerivedRegister {
  /**
   * Blobs in use that lack a form, by key. Damaged ones are left out, and those of artifacts whose
   * repositories do not want forms.
   *
   * @param forms by name
   * @param minLength of a blob, in bytes
   * @param maxLength of a blob, in bytes
   * @param after every key comes behind it; empty for the first page
   * @param limit of the page's size
   */
  List<Underived> missing(
      Collection<String> forms, long minLength, long maxLength, String after, int limit);

  /** The known forms of a blob. */
  List<Derived> of(BlobRef blob);

  /**
   * Adds a form, in one short transaction.
   *
   * @return false if the blob is gone or the form is known: the caller deletes what it offered
   */
  boolean add(BlobRef blob, Derived derived);

  /**
   * Forgets the forms of a blob, so that they are computed again.
   *
   * @return the blobs of the forms, which the caller deletes
   */
  List<BlobRef> forget(BlobRef blob);

  /**
   * The artifacts of some length that lie in a folder, newest first, with two of their forms.
   *
   * @param repository by name
   * @param folder empty, or a path that ends in a slash
   * @param store empty, or a name: then only artifacts that a store of this name belongs to, which
   *     are those of the same name, with or without their last suffix
   * @param form by name
   * @param second by name, which an artifact may lack
   * @param minLength of an artifact, in bytes
   * @param limit of artifacts
   */
  Folder folder(
      String repository,
      String folder,
      String store,
      String form,
      String second,
      long minLength,
      int limit);

  /**
   * Returns the paths of artifacts that look like chunks of a folder: {@code
   * x.castr/0123/0123...cacnk}.
   *
   * @param repository by name
   * @param folder empty, or a path that ends in a slash
   * @param limit of artifacts
   */
  List<String> likeChunks(String repository, String folder, int limit);

  /** Which artifacts have forms, of every repository that has ever said so. */
  Map<String, FormPaths> paths();

  /**
   * Replaces what a repository says.
   *
   * @return false if there is no such repository
   */
  boolean putPaths(String repository, FormPaths paths);

  /**
   * A blob that lacks a form. Immutable.
   *
   * @param sha256 of its plain bytes
   */
  record Underived(BlobRef blob, Digest sha256) {}

  /**
   * A folder. Immutable.
   *
   * @param members those with the form
   * @param waiting those that have no such row yet
   */
  record Folder(List<Member> members, List<Waiting> waiting) {
    public Folder {
      members = List.copyOf(members);
      waiting = List.copyOf(waiting);
    }
  }

  /**
   * An artifact with its form. Immutable.
   *
   * @param path of the artifact
   * @param length of the artifact
   * @param content the SHA-256 of the artifact
   * @param second form, if it is kept
   */
  record Member(
      String path,
      long length,
      Digest content,
      Derived.Stored form,
      Optional<Derived.Stored> second) {}

  /**
   * An artifact whose form is not decided. Immutable.
   *
   * @param path of the artifact
   * @param length of the artifact
   */
  record Waiting(String path, long length) {}
}
