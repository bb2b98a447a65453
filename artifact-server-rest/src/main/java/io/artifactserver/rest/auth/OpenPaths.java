package io.artifactserver.rest.auth;

import java.util.function.Predicate;

/**
 * The paths of the control plane that answer without a token: health, and metrics where that is
 * asked for. Immutable.
 *
 * @param publicMetrics whether metrics do
 */
public record OpenPaths(boolean publicMetrics) implements Predicate<String> {
  private static final String HEALTH = "/actuator/health";
  private static final String METRICS = "/actuator/prometheus";

  @Override
  public boolean test(String path) {
    return isHealth(path) || (publicMetrics && path.equals(METRICS));
  }

  /** Whether somebody asks how the server is. */
  public static boolean isHealth(String path) {
    return path.equals(HEALTH) || path.startsWith(HEALTH + '/');
  }
}
