package io.artifactserver.rest.delivery.address;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.release.Channel;
import io.artifactserver.rest.hawkbit.Question;
import io.artifactserver.rest.http.RequestPath;
import java.util.Locale;
import java.util.Optional;

/**
 * Reads the paths of the data plane: our own, and those that hawkBit gives its devices. Immutable,
 * thread-safe.
 *
 * @param isHawkbitAsked whether hawkBit is asked for the tenants that have no repository
 */
public record Addresses(HawkbitProperties hawkbit, boolean isHawkbitAsked) {
  private static final String ARTIFACTS = "/artifacts/";
  private static final String BLOBS = "/blobs/sha256/";
  private static final String RAUC = "/poll/rauc/";
  private static final String SWUPDATE = "/poll/swupdate/";
  private static final String LOG = "/log";
  private static final String CONTROLLER = "controller";
  private static final String SHA_1 = "sha1";

  /** The address of an artifact, as an absolute path. */
  public static String of(ArtifactId id) {
    return ARTIFACTS + id.repository() + '/' + RequestPath.encode(id.path());
  }

  /** Whether the data plane answers requests of this path; all others go to the control plane. */
  public boolean isTarget(String rawPath) {
    return rawPath.startsWith(ARTIFACTS)
        || rawPath.startsWith(BLOBS)
        || rawPath.startsWith(RAUC)
        || rawPath.startsWith(SWUPDATE)
        || isHawkbit(rawPath)
        || isGranted(rawPath);
  }

  /**
   * Reads a path that {@link #isTarget}.
   *
   * @return empty if the path can name nothing
   * @throws InvalidNameException if the path breaks a rule of names
   */
  public Optional<Target> parse(String rawPath) {
    if (rawPath.startsWith(ARTIFACTS)) {
      return artifact(rawPath);
    }
    if (rawPath.startsWith(BLOBS)) {
      return Optional.of(
          new Target.OfContent(digest(DigestAlgorithm.SHA_256, rawPath.substring(BLOBS.length()))));
    }
    if (rawPath.startsWith(RAUC)) {
      return poll(Target.Agent.RAUC, rawPath.substring(RAUC.length()));
    }
    if (rawPath.startsWith(SWUPDATE)) {
      return poll(Target.Agent.SWUPDATE, rawPath.substring(SWUPDATE.length()));
    }
    String[] segments = rawPath.split("/", -1);
    return hawkbit.repository(segments[1]).isPresent() ? hawkbit(segments) : granted(segments);
  }

  private static Optional<Target> artifact(String rawPath) {
    int slash = rawPath.indexOf('/', ARTIFACTS.length());
    if (slash < 0) {
      return Optional.empty();
    }
    String repository = RequestPath.decode(rawPath.substring(ARTIFACTS.length(), slash));
    String path = RequestPath.decode(rawPath.substring(slash + 1));
    ArtifactId id = new ArtifactId(repository, path);
    return Optional.of(Channel.isAddress(path) ? channel(id) : new Target.OfArtifact(id));
  }

  /** Artifacts may be there from before there were channels. */
  private static Target channel(ArtifactId address) {
    int slash = address.path().indexOf('/');
    String name = address.path().substring(1, Math.max(1, slash));
    return Channel.isName(name)
        ? new Target.OfChannel(
            new Channel(address.repository(), name),
            address.path().substring(slash + 1),
            Target.Claim.NONE)
        : new Target.OfArtifact(address);
  }

  private static Optional<Target> poll(Target.Agent agent, String rawNames) {
    return followed(rawNames)
        .map(each -> new Target.OfPoll(agent, each.channel(), each.path(), each.device()));
  }

  /** Whether devices send messages about their updates to the path, by PUT. */
  public static boolean takesReports(String rawPath) {
    return rawPath.startsWith(SWUPDATE) && rawPath.endsWith(LOG);
  }

  /**
   * Reads a path that {@link #takesReports}.
   *
   * @return what it is about; empty if the path can name nothing
   * @throws InvalidNameException if the path breaks a rule of names
   */
  public static Optional<Target.OfChannel> reported(String rawPath) {
    return followed(rawPath.substring(SWUPDATE.length(), rawPath.length() - LOG.length()));
  }

  /** {@code {repository}/{channel}/{path}}. */
  private static Optional<Target.OfChannel> followed(String rawNames) {
    String[] names = rawNames.split("/", 3);
    if (names.length < 3) {
      return Optional.empty();
    }
    Channel channel = new Channel(RequestPath.decode(names[0]), RequestPath.decode(names[1]));
    // Its path has the rules of an artifact's.
    String path = new ArtifactId(channel.repository(), RequestPath.decode(names[2])).path();
    return Optional.of(new Target.OfChannel(channel, path, Target.Claim.NONE));
  }

  private boolean isHawkbit(String rawPath) {
    if (hawkbit.tenants().isEmpty()) {
      return false;
    }
    String[] segments = rawPath.split("/", 4);
    return segments.length == 4
        && (segments[2].equals(CONTROLLER) || segments[2].equals(SHA_1))
        && hawkbit.repository(segments[1]).isPresent();
  }

  private boolean isGranted(String rawPath) {
    return isHawkbitAsked && isModuleArtifact(rawPath.split("/", -1));
  }

  private static boolean isModuleArtifact(String[] segments) {
    return segments.length == 9
        && segments[2].equals(CONTROLLER)
        && segments[3].equals("v1")
        && segments[5].equals("softwaremodules")
        && segments[7].equals("artifacts");
  }

  private static Optional<Target> granted(String[] segments) {
    String tenant = RequestPath.decode(segments[1]);
    String controllerId = RequestPath.decode(segments[4]);
    String softwareModuleId = RequestPath.decode(segments[6]);
    String fileName = fileName(segments[8]);
    return !fileName.isEmpty() && Question.canName(tenant, controllerId, softwareModuleId)
        ? Optional.of(new Target.Granted(tenant, controllerId, softwareModuleId, fileName))
        : Optional.empty();
  }

  /**
   * {@code /{tenant}/controller/v1/{controllerId}/softwaremodules/{id}/artifacts/{fileName}}, or
   * {@code /{tenant}/sha1/{sha1}/{fileName}}.
   *
   * @param segments the first one empty
   */
  private Optional<Target> hawkbit(String[] segments) {
    String repository = hawkbit.repository(segments[1]).orElseThrow();
    if (segments[2].equals(SHA_1) && segments.length == 5) {
      Digest digest = digest(DigestAlgorithm.SHA_1, segments[3]);
      ArtifactId named = new ArtifactId(repository, fileName(segments[4]));
      return Optional.of(new Target.OfContentIn(digest, repository, named.fileName()));
    }
    if (!isModuleArtifact(segments)) {
      return Optional.empty();
    }
    String path = hawkbit.path(RequestPath.decode(segments[6]), fileName(segments[8]));
    return Optional.of(new Target.OfArtifact(new ArtifactId(repository, path)));
  }

  /**
   * hawkBit encodes names as forms do: a plus is a space, and a plus of the name is {@code %2B}.
   */
  private static String fileName(String segment) {
    return RequestPath.decode(segment.replace('+', ' '));
  }

  private static Digest digest(DigestAlgorithm algorithm, String hex) {
    try {
      return new Digest(algorithm, hex.toLowerCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new InvalidNameException(
          "A content address ends in %d hexadecimal digits of %s"
              .formatted(2 * algorithm.length(), algorithm.standardName()));
    }
  }
}
