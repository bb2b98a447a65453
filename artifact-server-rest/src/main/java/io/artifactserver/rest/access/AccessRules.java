package io.artifactserver.rest.access;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.rest.http.RequestPath;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What each role may ask of the control plane: an admin everything, the others what a rule says,
 * within their scope. What no rule names is for admins alone, so a new address is closed until
 * somebody opens it. Pure functions.
 */
public final class AccessRules {
  private static final Set<Role> READERS = Set.of(Role.READER, Role.PUBLISHER);
  private static final Set<Role> PUBLISHERS = Set.of(Role.PUBLISHER);

  private static final String REPOSITORIES = "/api/v1/repositories";
  private static final String REPOSITORY = REPOSITORIES + "/([^/]+)";
  private static final String ARTIFACT = REPOSITORY + "/artifacts/(.+)";

  private static final List<Rule> RULES =
      List.of(
          rule("GET|HEAD", "/v3/api-docs(?:/.*)?", READERS, (_, _) -> true),
          // The answers hold what is in the scope only.
          rule("GET|HEAD", REPOSITORIES, READERS, (_, _) -> true),
          rule("GET|HEAD", REPOSITORY + "(?:/artifacts)?", READERS, AccessRules::isRepository),
          rule("GET|HEAD", ARTIFACT, READERS, AccessRules::isArtifact),
          rule("PUT|DELETE", ARTIFACT, PUBLISHERS, AccessRules::isArtifact),
          // The artifact is in the body: its controller looks at the scope.
          rule("POST", "/api/v1/links", PUBLISHERS, (_, _) -> true));

  private AccessRules() {}

  /**
   * Whether the caller may send the request.
   *
   * @param rawPath as it was sent, still encoded
   */
  public static boolean allow(Caller caller, String method, String rawPath) {
    if (caller.role() == Role.ADMIN) {
      return true;
    }
    for (Rule rule : RULES) {
      Matcher path = rule.path.matcher(rawPath);
      if (rule.roles.contains(caller.role())
          && rule.method.matcher(method).matches()
          && path.matches()) {
        return rule.scope.test(caller, path);
      }
    }
    return false;
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

  private static Rule rule(
      String method, String path, Set<Role> roles, BiPredicate<Caller, Matcher> scope) {
    return new Rule(Pattern.compile(method), Pattern.compile(path), roles, scope);
  }

  private record Rule(
      Pattern method, Pattern path, Set<Role> roles, BiPredicate<Caller, Matcher> scope) {}
}
