package io.artifactserver.core.derive;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A register on the heap, of the blobs that artifacts of one repository have. Used by one thread.
 */
public final class InMemoryDerivedRegister implements DerivedRegister {
  private final ArtifactCatalog catalog;
  private final String repository;
  private final Map<BlobRef, List<Derived>> forms = new HashMap<>();
  private final Map<String, FormPaths> paths = new HashMap<>();

  public InMemoryDerivedRegister(ArtifactCatalog catalog, String repository) {
    this.catalog = catalog;
    this.repository = repository;
  }

  @Override
  public List<Underived> missing(
      Collection<String> names, long minLength, long maxLength, String after, int limit) {
    return catalog.list(repository, "", "", Integer.MAX_VALUE).stream()
        .filter(artifact -> artifact.length() >= minLength && artifact.length() <= maxLength)
        .filter(artifact -> paths.getOrDefault(repository, FormPaths.ALL).includes(artifact.path()))
        .filter(artifact ->
            !of(artifact.blob()).stream().map(Derived::form).toList().containsAll(names))
        .map(artifact -> new Underived(artifact.blob(), artifact.digests().sha256()))
        .distinct()
        .filter(each -> each.blob().key().compareTo(after) > 0)
        .sorted(Comparator.comparing(each -> each.blob().key()))
        .limit(limit)
        .toList();
  }

  @Override
  public List<Derived> of(BlobRef blob) {
    return List.copyOf(forms.getOrDefault(blob, List.of()));
  }

  @Override
  public boolean add(BlobRef blob, Derived derived) {
    boolean isUsed =
        catalog.list(repository, "", "", Integer.MAX_VALUE).stream()
            .anyMatch(artifact -> artifact.blob().equals(blob));
    return isUsed
        && of(blob).stream().noneMatch(known -> known.form().equals(derived.form()))
        && forms.computeIfAbsent(blob, _ -> new ArrayList<>()).add(derived);
  }

  @Override
  public List<BlobRef> forget(BlobRef blob) {
    List<Derived> forgotten = forms.remove(blob);
    return forgotten == null
        ? List.of()
        : forgotten.stream()
            .filter(Derived.Stored.class::isInstance)
            .map(each -> ((Derived.Stored) each).blob())
            .toList();
  }

  @Override
  public Folder folder(
      String name,
      String folder,
      String store,
      String form,
      String second,
      long minLength,
      int limit) {
    List<Member> members = new ArrayList<>();
    List<Waiting> waiting = new ArrayList<>();
    catalog.list(name, folder, "", Integer.MAX_VALUE).stream()
        .filter(artifact -> artifact.path().indexOf('/', folder.length()) < 0)
        .filter(artifact -> artifact.length() >= minLength)
        .filter(artifact -> store.isEmpty() || isOf(store, artifact.id().fileName()))
        .sorted(Comparator.comparing(Artifact::createdAt).reversed())
        .limit(limit)
        .forEach(artifact ->
            stored(artifact, form)
                .ifPresentOrElse(
                    stored ->
                        members.add(
                            new Member(
                                artifact.path(),
                                artifact.length(),
                                artifact.digests().sha256(),
                                stored,
                                stored(artifact, second))),
                    () -> waiting.add(new Waiting(artifact.path(), artifact.length()))));
    return new Folder(members, waiting);
  }

  private static boolean isOf(String store, String fileName) {
    int dot = fileName.lastIndexOf('.');
    return fileName.equals(store) || (dot >= 0 && fileName.substring(0, dot).equals(store));
  }

  @Override
  public List<String> likeChunks(String name, String folder, int limit) {
    return List.of();
  }

  private Optional<Derived.Stored> stored(Artifact artifact, String form) {
    return of(artifact.blob()).stream()
        .filter(each -> each.form().equals(form))
        .findFirst()
        .map(Derived.Stored.class::cast);
  }

  @Override
  public Map<String, FormPaths> paths() {
    return Map.copyOf(paths);
  }

  @Override
  public boolean putPaths(String name, FormPaths wanted) {
    if (!name.equals(repository)) {
      return false;
    }
    paths.put(name, wanted);
    return true;
  }
}
