package io.artifactserver.rest.delivery.pace;

import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.delivery.address.Target;
import io.artifactserver.rest.front.Lookups;
import io.artifactserver.rest.server.guard.Connections;
import java.time.Duration;
import java.util.stream.Stream;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks now and then whether a download that goes on still may: a token that let it in may be taken
 * away, or the key of its link deleted. When they expire, what they began goes on. Thread-safe.
 *
 * @param lookups run what has to ask the database
 * @param period between two questions about one download
 */
public record Permissions(
    ArtifactCatalog catalog,
    Authenticator authenticator,
    Connections connections,
    Lookups lookups,
    Duration period) {
  private static final Logger LOG = LoggerFactory.getLogger(Permissions.class);

  /** Whether everybody may read the target, as far as the lookup may go. */
  private boolean isPublic(Target target, Reach reach) {
    Stream<Repository> repositories =
        switch (target) {
          case Target.InRepository in -> catalog.findRepository(in.repository(), reach).stream();
          case Target.OfContent(var digest) ->
              catalog.findContent(digest, reach).stream()
                  .flatMap(content -> content.repositories().stream());
          // hawkBit grants it, and asks for no token of ours.
          case Target.Granted _ -> Stream.empty();
        };
    return target instanceof Target.Granted || repositories.anyMatch(Repository::isPublic);
  }

  /** That of one download. Used by one thread at a time. */
  final class Permission {
    private final Request request;
    private final Target target;
    private final Credentials credentials;
    private long nextNanos = System.nanoTime() + period.toNanos();
    private volatile boolean isTakenAway;

    Permission(Request request, Target target, Credentials credentials) {
      this.request = request;
      this.target = target;
      this.credentials = credentials;
    }

    /**
     * To be called before each piece. Does not block: what it finds out is told to a later call.
     *
     * @throws EofException if the download may not go on
     */
    void require() throws EofException {
      if (isTakenAway) {
        throw new EofException("The credentials of the download were revoked");
      }
      long now = System.nanoTime();
      if (now - nextNanos >= 0) {
        nextNanos = now + period.toNanos();
        if (!isKnownToBePublic()) {
          var _ =
              lookups.run(
                  authenticator.sender(credentials, connections.client(request)), this::look);
        }
      }
    }

    private boolean isKnownToBePublic() {
      return isPublic(target, Reach.MEMORY);
    }

    /** Asks again whether it is public: memory forgets. */
    private boolean look() {
      try {
        isTakenAway = !isPublic(target, Reach.DATABASE) && authenticator.isTakenAway(credentials);
      } catch (CatalogUnavailableException e) {
        LOG.debug("A download goes on, because its permission cannot be checked", e);
      }
      return true;
    }
  }
}
