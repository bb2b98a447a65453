package io.artifactserver.core.derive;

import io.artifactserver.core.catalog.ArtifactId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Which forms are made of which artifacts. The repositories' rules are kept in memory and in the
 * database. Thread-safe; right as long as every change comes through the one server that an
 * installation has.
 */
public final class DerivationRules {
  private final List<DerivedForm> forms;
  private final List<DerivedForm.Addressed> addressed;
  private final Optional<DerivedForm.Chunked> chunked;
  private final Optional<DerivedForm.Packed> packed;
  private final long minLength;
  private final long maxLength;
  private final DerivedRegister register;

  /** Immutable maps, of the repositories that do not want forms of everything. */
  private final AtomicReference<Map<String, FormPaths>> paths;

  private final AtomicInteger changes = new AtomicInteger();

  /**
   * Reads what repositories say from the database.
   *
   * @param forms that are made; empty if none are
   * @param minLength of an artifact, in bytes
   * @param maxLength of an artifact, in bytes
   */
  public DerivationRules(
      List<DerivedForm> forms, long minLength, long maxLength, DerivedRegister register) {
    this.forms = List.copyOf(forms);
    this.addressed = all(DerivedForm.Addressed.class);
    this.chunked = all(DerivedForm.Chunked.class).stream().findFirst();
    this.packed = all(DerivedForm.Packed.class).stream().findFirst();
    this.minLength = minLength;
    this.maxLength = maxLength;
    this.register = register;
    this.paths = new AtomicReference<>(Map.copyOf(register.paths()));
  }

  /** The forms that are made; empty if none are. */
  public List<DerivedForm> forms() {
    return forms;
  }

  /** Those of them that have addresses. */
  public List<DerivedForm.Addressed> addressed() {
    return addressed;
  }

  /** The form that is an index of chunks, if it is made. */
  public Optional<DerivedForm.Chunked> chunked() {
    return chunked;
  }

  /** The form that has the chunks compressed, if it is made. */
  public Optional<DerivedForm.Packed> packed() {
    return packed;
  }

  /** Length of the smallest artifact that has forms, in bytes. */
  public long minLength() {
    return minLength;
  }

  /** Length of the largest artifact that has forms, in bytes. */
  public long maxLength() {
    return maxLength;
  }

  /** Whether forms are made of an artifact of this length. No I/O. */
  public boolean suits(ArtifactId id, long length) {
    return !forms.isEmpty()
        && length >= minLength
        && length <= maxLength
        && paths(id.repository()).includes(id.path());
  }

  /** Which artifacts of a repository have forms. No I/O. */
  public FormPaths paths(String repository) {
    return paths.get().getOrDefault(repository, FormPaths.ALL);
  }

  /**
   * Says which artifacts of a repository have forms. Asks the database.
   *
   * @return false if there is no such repository
   */
  public synchronized boolean put(String repository, FormPaths wanted) {
    if (!register.putPaths(repository, wanted)) {
      return false;
    }
    Map<String, FormPaths> changed = new HashMap<>(paths.get());
    changed.put(repository, wanted);
    paths.set(Map.copyOf(changed));
    changed();
    return true;
  }

  /**
   * Counts what makes remembered forms worthless: other rules, and forms that were dropped. No I/O.
   */
  public int changes() {
    return changes.get();
  }

  /** To be called after forms were dropped, and before their blobs are deleted. */
  void changed() {
    changes.incrementAndGet();
  }

  private <T extends DerivedForm> List<T> all(Class<T> type) {
    return forms.stream().filter(type::isInstance).map(type::cast).toList();
  }
}
