package io.artifactserver.rest.access;

/**
 * The paths of the control plane that answer without a token: health, the way to a token, and
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
    return isHealth(path) || path.equals(SIGN_IN) || (publicMetrics && path.equals(METRICS));
  }

  /** Whether somebody signs in. */
  public static boolean isSignIn(String path) {
    return path.equals(SIGN_IN);
  }

  /** Whether somebody asks how the server is. */
  public static boolean isHealth(String path) {
    return path.equals(HEALTH) || path.startsWith(HEALTH + '/');
  }
}
