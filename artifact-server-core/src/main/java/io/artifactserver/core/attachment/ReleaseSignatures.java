package io.artifactserver.core.attachment;

import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.release.ReleaseException;
import io.artifactserver.core.release.ReleaseRule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Where a repository trusts keys, only what their owners have signed is released. The keys are in
 * memory and in the database. Thread-safe; right as long as every change comes through the one
 * server that an installation has.
 */
public final class ReleaseSignatures implements ReleaseRule {
  /** Artifacts whose signatures are in memory at the same time. */
  private static final int PAGE = 100;

  private final TrustedKeyStore store;
  private final AttachmentStore attachments;
  private final ArtifactCatalog catalog;
  private final SignatureVerifier verifier;

  /** Without repositories that trust none: there, everything is released. */
  private final ConcurrentMap<String, List<TrustedKey>> keys = new ConcurrentHashMap<>();

  /** Reads the keys from the database. */
  public ReleaseSignatures(
      TrustedKeyStore store,
      AttachmentStore attachments,
      ArtifactCatalog catalog,
      SignatureVerifier verifier) {
    this.store = store;
    this.attachments = attachments;
    this.catalog = catalog;
    this.verifier = verifier;
    keys.putAll(store.all());
  }

  /** Returns the keys that a repository trusts. No I/O. */
  public List<TrustedKey> keys(String repository) {
    return keys.getOrDefault(repository, List.of());
  }

  /**
   * Says which keys a repository trusts; with none, everything is released again. Asks the
   * database.
   *
   * @return false if there is no such repository
   * @throws IllegalArgumentException if one of them verifies nothing
   */
  public synchronized boolean put(String repository, List<TrustedKey> trusted) {
    trusted.forEach(verifier::requireUsable);
    if (!store.put(repository, trusted)) {
      return false;
    }
    if (trusted.isEmpty()) {
      keys.remove(repository);
    } else {
      keys.put(repository, List.copyOf(trusted));
    }
    return true;
  }

  @Override
  public boolean isAsked(String repository) {
    return keys.containsKey(repository);
  }

  @Override
  public void requireReleasable(ArtifactId release) throws ReleaseException.Unsigned {
    List<TrustedKey> trusted = keys(release.repository());
    if (trusted.isEmpty()) {
      return;
    }
    String after = "";
    List<Artifact> page;
    do {
      page = catalog.list(release.repository(), release.path() + '/', after, PAGE);
      List<StoredSignature> signatures = attachments.signatures(release.repository(), page);
      for (Artifact artifact : page) {
        if (signatures.stream().noneMatch(each -> signer(trusted, artifact, each).isPresent())) {
          throw new ReleaseException.Unsigned(artifact.id());
        }
        after = artifact.path();
      }
    } while (page.size() == PAGE);
  }

  /**
   * Returns which attachments of an artifact are good signatures, by their SHA-256, and of which
   * key. Asks the database.
   */
  public Map<Digest, String> signers(Artifact artifact) {
    List<TrustedKey> trusted = keys(artifact.repository().name());
    if (trusted.isEmpty()) {
      return Map.of();
    }
    Map<Digest, String> signers = new HashMap<>();
    for (StoredSignature each :
        attachments.signatures(artifact.repository().name(), List.of(artifact))) {
      signer(trusted, artifact, each).ifPresent(key -> signers.put(each.sha256(), key.name()));
    }
    return signers;
  }

  private Optional<TrustedKey> signer(
      List<TrustedKey> trusted, Artifact artifact, StoredSignature signature) {
    return signature.isOf(artifact.path(), artifact.digests().sha256())
        ? trusted.stream()
            .filter(key ->
                verifier.isGood(key, signature.content(), artifact.digests(), signature.digest()))
            .findFirst()
        : Optional.empty();
  }
}
