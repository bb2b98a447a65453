package io.artifactserver.rest.access;

/**
 * The paths of the control plane that answer without a token: health, the ways to sign in, and
 * metrics where that is asked for. Immutable.
 *
 * @param publicMetrics whether metrics do
 */
public record OpenPaths(boolean publicMetrics) {
  private static final String HEALTH = "/actuator/health";
  private static final String SIGN_IN = "/api/v1/sign-in";
  private static final String METRICS = "/actuator/prometheus";

  /** Whether everybody may ask for a path. */
  public boolean test(String path) {
    return isHealth(path)
        || path.equals(SIGN_IN)
        || ConsolePaths.isSignIn(path)
        || (publicMetrics && path.equals(METRICS));
  }

  /** Whether this request ends a sign-in, for which the identity provider is asked. */
  public static boolean isSignIn(String method, String path) {
    return path.equals(method.equals("POST") ? SIGN_IN : ConsolePaths.PROVIDER_END);
  }

  /** Whether a form of somebody who is not known yet is read. */
  public static boolean takesForm(String path) {
    return path.equals(ConsolePaths.SIGN_IN);
  }

  /** Whether somebody asks how the server is. */
  public static boolean isHealth(String path) {
    return path.equals(HEALTH) || path.startsWith(HEALTH + '/');
  }
}
