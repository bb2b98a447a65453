package io.artifactserver.rest.delivery.pace;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.limit.LimitTable;
import io.artifactserver.core.limit.NamedLimit;
import io.artifactserver.core.limit.TokenBucket;
import io.artifactserver.rest.access.Authentication;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.front.Lookups;
import io.artifactserver.rest.server.guard.Connections;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which limits a download has for who asks, and from where. The name that a device gives
 * itself in a field does not count: it could choose its limit. Thread-safe.
 *
 * @param lookups run what has to ask the database who a caller is
 */
public record DownloadClasses(
    Authenticator authenticator, Connections connections, Lookups lookups) {
  /** Whether a request is known to be of no class that the table has. No I/O. */
  boolean areNone(LimitTable table, Request request, Credentials credentials) {
    if (!table.hasClasses()) {
      return true;
    }
    OfOne download = new OfOne(request, credentials);
    return !download.isUndecided(table) && download.buckets(table).isEmpty();
  }

  /** The classes of one download. Used by one thread at a time. */
  final class OfOne {
    private final Request request;
    private final Credentials credentials;

    /** The caller, once it is known. */
    private @Nullable Authentication caller;

    /** As of the last table. */
    private @Nullable Found found;

    OfOne(Request request, Credentials credentials) {
      this.request = request;
      this.credentials = credentials;
    }

    /**
     * Whether the database has to be asked who this is. A public repository asks nobody for a
     * token, so it may not have been looked up yet. No I/O.
     */
    boolean isUndecided(LimitTable table) {
      if (!table.asksForCallers() || caller != null) {
        return false;
      }
      Authentication peeked = authenticator.peek(credentials);
      if (peeked instanceof Authentication.Undecided) {
        return true;
      }
      caller = peeked;
      return false;
    }

    /** Returns what the download passes, as far as its caller is known. No I/O. */
    List<TokenBucket> buckets(LimitTable table) {
      Found known = found;
      if (known == null || !known.table.equals(table)) {
        known = new Found(table, find(table));
        found = known;
      }
      return known.buckets;
    }

    /**
     * Asks the database who this is, soon. If it does not answer, it is nobody.
     *
     * @param then runs on another thread when that is known
     * @return false if too many ask already
     */
    boolean lookUp(Runnable then) {
      return lookups.authenticate(
          authenticator,
          credentials,
          connections.client(request),
          asked -> {
            caller = asked;
            found = null;
            then.run();
            return asked instanceof Authentication.Known;
          });
    }

    private List<TokenBucket> find(LimitTable table) {
      Optional<InetAddress> origin = connections.origin(request);
      if (caller instanceof Authentication.Known(Caller known)) {
        String subject = credentials.certificateSubject();
        return table.classes(
            known.role().name().toLowerCase(Locale.ROOT),
            subject.isEmpty() ? known.name() : subject,
            origin);
      }
      return table.classes(NamedLimit.ANONYMOUS, "", origin);
    }

    /**
     * @param buckets that the download passes by the limits in the table
     */
    private record Found(LimitTable table, List<TokenBucket> buckets) {}
  }
}
