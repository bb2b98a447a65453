package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.hawkbit.GrantedArtifact;
import io.artifactserver.core.hawkbit.GrantedFile;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Where the bytes of what hawkBit grants come from. Thread-safe; nothing blocks. */
interface Source extends AutoCloseable {
  /** The file of an artifact, if it can be served as it is. No I/O. */
  Optional<GrantedFile> known(GrantedArtifact artifact);

  /**
   * Looks for the file of an artifact. Called once at a time for each.
   *
   * @param question that hawkBit answered with the artifact
   * @param sender of the request, as clients share what is asked for; null if nobody knows
   */
  CompletableFuture<Finding> look(
      Question question, GrantedArtifact artifact, @Nullable Object sender);

  @Override
  void close();
}
