package io.artifactserver.rest.access;

import static java.util.Comparator.naturalOrder;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.release.Channel;
import io.artifactserver.rest.http.RequestPath;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Decides which requests to the control plane each role may make: an admin all of them, the others
 * those that a rule names, within their scope. A request that no rule names is for admins alone, so
 * a new address is closed until somebody opens it. Pure functions.
 */
public final class AccessRules {
  /** The refusal of a request whose role would do. */
  public static final String OUT_OF_SCOPE =
      "Your scope, which is a list of repositories and paths, does not include this.";

  private static final Set<Role> READERS = Set.of(Role.READER, Role.PUBLISHER);
  private static final Set<Role> PUBLISHERS = Set.of(Role.PUBLISHER);

  private static final String REPOSITORIES = "/api/v1/repositories";
  private static final String UPLOADS = "/api/v1/uploads";
  private static final String FETCHES = "/api/v1/fetches";
  private static final String REPOSITORY = REPOSITORIES + "/([^/]+)";
  private static final String CHANNEL = REPOSITORY + "/channels/([^/]+)";
  private static final String ARTIFACT = REPOSITORY + "/artifacts/(.+)";

  private static final String DIGEST = "(?:/[0-9a-f]{64})";

  private static final List<Rule> RULES =
      List.of(
          rule("GET|HEAD", "/v3/api-docs(?:/.*)?", READERS, (_, _) -> true),
          // The answers hold what is in the scope only.
          rule("GET|HEAD", REPOSITORIES, READERS, (_, _) -> true),
          rule("GET|HEAD", REPOSITORY + "(?:/artifacts)?", READERS, AccessRules::isRepository),
          // No publisher may begin a promise that nobody can end.
          rule("PUT", ARTIFACT + "/(?:hold|support)", Set.of(), AccessRules::isArtifact),
          rule(
              "GET|HEAD",
              ARTIFACT + "/attachments" + DIGEST + "?",
              READERS,
              AccessRules::isArtifact),
          rule("POST", ARTIFACT + "/attachments", PUBLISHERS, AccessRules::isArtifact),
          rule("DELETE", ARTIFACT + "/attachments" + DIGEST, PUBLISHERS, AccessRules::isArtifact),
          rule("GET|HEAD", ARTIFACT, READERS, AccessRules::isArtifact),
          rule("POST", ARTIFACT + "/undelete", PUBLISHERS, AccessRules::isArtifact),
          rule("PUT|POST|DELETE|OPTIONS", ARTIFACT, PUBLISHERS, AccessRules::isArtifact),
          rule("GET|HEAD", REPOSITORY + "/release-keys", READERS, AccessRules::isRepository),
          // The answers hold what is in the scope only.
          rule("GET|HEAD", REPOSITORY + "/channels(?:/.+)?", READERS, AccessRules::isRepository),
          // The release is in the body: its controller looks at the scope, too.
          rule("PUT|DELETE", CHANNEL, PUBLISHERS, AccessRules::isChannel),
          rule("POST", CHANNEL + "/(?:rollback|pause|resume)", PUBLISHERS, AccessRules::isChannel),
          // The artifact is in a field, or known by the upload: the controller looks at the scope.
          rule("POST|OPTIONS", UPLOADS, PUBLISHERS, (_, _) -> true),
          rule("GET|HEAD|PATCH|DELETE", UPLOADS + "/[^/]+", PUBLISHERS, (_, _) -> true),
          // The artifact is in the body: its controller looks at the scope.
          rule("POST", "/api/v1/links", PUBLISHERS, (_, _) -> true),
          // The same; the others show those of the caller only.
          rule("POST|GET|HEAD", FETCHES, PUBLISHERS, (_, _) -> true),
          rule("GET|HEAD|DELETE", FETCHES + "/[^/]+", PUBLISHERS, (_, _) -> true),
          // The query names the artifact, so the controller checks the scope.
          rule(
              "GET|HEAD",
              "/console/(?:|repositories|repository|artifact|attachment|download|channels|channel)",
              READERS,
              (_, _) -> true),
          rule("GET|HEAD", "/console/(?:qr|deleted)", PUBLISHERS, (_, _) -> true),
          rule("POST", "/console/sign-out", READERS, (_, _) -> true));

  private AccessRules() {}

  /**
   * Whether the caller may send the request.
   *
   * @param rawPath as it was sent, still encoded
   */
  public static boolean allow(Caller caller, String method, String rawPath) {
    return caller.role() == Role.ADMIN
        || rule(method, rawPath)
            .filter(rule -> rule.roles.contains(caller.role()))
            .filter(rule -> rule.allows(caller, rawPath))
            .isPresent();
  }

  /** Says what the caller lacks for a request that is not allowed, in a sentence. */
  public static String refusal(Caller caller, String method, String rawPath) {
    Set<Role> roles = rule(method, rawPath).map(Rule::roles).orElse(Set.of());
    return roles.contains(caller.role())
        ? OUT_OF_SCOPE
        : "This needs the role %s; yours is %s."
            .formatted(
                roles.stream()
                    .max(naturalOrder())
                    .map(least -> name(least) + " or higher")
                    .orElse(name(Role.ADMIN)),
                name(caller.role()));
  }

  /** The first rule that is for the request counts. */
  private static Optional<Rule> rule(String method, String rawPath) {
    return RULES.stream()
        .filter(rule -> rule.method.matcher(method).matches())
        .filter(rule -> rule.path.matcher(rawPath).matches())
        .findFirst();
  }

  private static String name(Role role) {
    return role.name().toLowerCase(Locale.ROOT);
  }

  private static boolean isRepository(Caller caller, Matcher path) {
    try {
      return caller.mayReadSomeOf(RequestPath.decode(path.group(1)));
    } catch (InvalidNameException e) {
      return false;
    }
  }

  private static boolean isArtifact(Caller caller, Matcher path) {
    try {
      return caller.mayRead(
          new ArtifactId(RequestPath.decode(path.group(1)), RequestPath.decode(path.group(2))));
    } catch (InvalidNameException e) {
      return false;
    }
  }

  private static boolean isChannel(Caller caller, Matcher path) {
    try {
      return caller.mayRead(
          new Channel(RequestPath.decode(path.group(1)), RequestPath.decode(path.group(2)))
              .address());
    } catch (InvalidNameException e) {
      return false;
    }
  }

  private static Rule rule(
      String method, String path, Set<Role> roles, BiPredicate<Caller, Matcher> scope) {
    return new Rule(Pattern.compile(method), Pattern.compile(path), roles, scope);
  }

  private record Rule(
      Pattern method, Pattern path, Set<Role> roles, BiPredicate<Caller, Matcher> scope) {
    boolean allows(Caller caller, String rawPath) {
      Matcher matcher = path.matcher(rawPath);
      return matcher.matches() && scope.test(caller, matcher);
    }
  }
}
