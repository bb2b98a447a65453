package io.artifactserver.rest.access.link;

import io.artifactserver.core.access.LinkKeys;
import io.artifactserver.core.access.LinkRefusedException;
import io.artifactserver.core.access.LinkRules;
import io.artifactserver.core.access.LinkTerms;
import io.artifactserver.core.access.SignedLink;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.rest.http.RequestPath;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Makes and verifies signed links with the keys of the data folder. A link is verified in memory.
 * Thread-safe.
 */
public final class Links {
  private static final Logger LOG = LoggerFactory.getLogger(Links.class);
  private static final String ARTIFACTS = "/artifacts/";
  private static final long CHECK_MILLIS = 2_000;

  private final LinkKeyFile file;
  private final LinkRules rules;
  private final Set<String> appendable;
  private final InstantSource clock;
  private volatile Loaded loaded;

  /**
   * Reads the keys, or makes the first one.
   *
   * @param dataFolder that this process has locked
   * @throws IOException if the file cannot be read or written
   */
  public Links(Path dataFolder, LinkProperties properties, InstantSource clock) throws IOException {
    this.file = new LinkKeyFile(dataFolder);
    this.rules = new LinkRules(properties.maxExpiry(), properties.clockSkew());
    this.appendable = properties.appendedParameters();
    this.clock = clock;
    file.ensure(clock.instant());
    this.loaded = load(file);
  }

  /**
   * Verifies a request's query.
   *
   * @param artifact that its path names
   * @param query as it was sent
   */
  public SignedLink verify(ArtifactId artifact, String query, String method)
      throws LinkRefusedException {
    SignedLink link = SignedLink.parse(artifact, query, appendable);
    verify(link, method);
    return link;
  }

  /** Verifies a link again, by the keys and the time of now. */
  public void verify(SignedLink link, String method) throws LinkRefusedException {
    rules.verify(link, loaded.keys, method, clock.instant());
  }

  /** Whether a link that was verified is neither expired nor revoked since. */
  public boolean isStillGood(SignedLink link) {
    return rules.isStillGood(link, loaded.keys, clock.instant());
  }

  /** Whether the link would be refused because it is good for too long. */
  public boolean isTooLong(LinkTerms terms) {
    return rules.isTooLong(terms, clock.instant());
  }

  /** The absolute path and query of a link. */
  public String url(LinkTerms terms) {
    return url(terms, loaded.keys);
  }

  static String url(LinkTerms terms, LinkKeys keys) {
    return ARTIFACTS
        + terms.artifact().repository()
        + '/'
        + RequestPath.encode(terms.artifact().path())
        + '?'
        + keys.signing().sign(terms);
  }

  /** The keys as they are now. */
  public LinkKeys keys() {
    return loaded.keys;
  }

  /** Adds a key, which signs from now on. */
  public synchronized LinkKeys rotate() throws IOException {
    Instant now = clock.instant();
    file.change(keys -> keys.rotated(now));
    loaded = load(file);
    return loaded.keys;
  }

  /** Removes a key, and so revokes every link that it signed. */
  public synchronized LinkKeys revoke(String id) throws IOException {
    Instant now = clock.instant();
    file.change(keys -> keys.without(id, now));
    loaded = load(file);
    return loaded.keys;
  }

  /** Reads the keys again if the file was replaced, as by {@code ./artifact-server sign}. */
  @Scheduled(fixedDelay = CHECK_MILLIS)
  synchronized void refresh() {
    try {
      if (!file.version().equals(loaded.version)) {
        loaded = load(file);
        LOG.info("Signed links have {} keys now", loaded.keys.keys().size());
      }
    } catch (IOException e) {
      LOG.warn("Still using the previous keys of signed links: {}", e.toString());
    }
  }

  /** The version first: a file that is replaced in between is read again. */
  private static Loaded load(LinkKeyFile file) throws IOException {
    FileTime version = file.version();
    return new Loaded(file.read(), version);
  }

  private record Loaded(LinkKeys keys, FileTime version) {}
}
