package io.artifactserver.storage.backend;

import java.util.UUID;

/**
 * A place that belongs to one installation's database: the sweeper of another one would take every
 * blob there for an orphan. The catalog binds every bean of this type before anybody gets to it.
 */
public interface InstallationBound {
  /**
   * Binds the place to the installation, or checks that it is bound to it. I/O.
   *
   * @throws RuntimeException whose message tells an operator what to do, if it belongs to another
   *     one or cannot be asked
   */
  void bind(UUID installationId);
}
