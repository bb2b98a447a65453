package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.grant.GrantedArtifact;
import io.artifactserver.core.grant.GrantedFile;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Where the bytes of what hawkBit grants come from. Thread-safe; nothing blocks. */
interface Source extends AutoCloseable {
  /** The file of an artifact, if it can be served as it is. No I/O. */
  Optional<GrantedFile> known(GrantedArtifact artifact);

  /**
   * Looks for the file of an artifact. Called once at a time for each.
   *
   * @param question that hawkBit answered with the artifact
   * @param asker whose turns its questions take
   */
  CompletableFuture<Finding> look(Question question, GrantedArtifact artifact, Asker asker);

  @Override
  void close();
}
