package io.artifactserver.rest.command.client;

import io.artifactserver.rest.command.client.ClientException.Reason;
import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Where the server is, and how to speak to it.
 *
 * @param server scheme, host, port and perhaps a path, without a slash at its end
 * @param token empty to be nobody
 * @param authorities whom to trust in place of the system's
 */
record Settings(URI server, Optional<String> token, Optional<Path> authorities) {
  private static final Set<String> NAMES = Set.of("server", "token", "token-file", "ca");

  /**
   * Reads options, environment and profile; the first that has a setting decides.
   *
   * @param warnings takes a line for the person
   */
  static Settings of(
      ClientOptions options, Map<String, String> environment, Consumer<String> warnings)
      throws ClientException {
    Properties profile = profile(options, environment);
    String address = options.server;
    if (address == null) {
      address = environment.getOrDefault("ARTIFACT_SERVER_URL", "");
    }
    String ofProfile = profile.getProperty("server", "");
    if (address.isEmpty()) {
      address = ofProfile;
    }
    if (address.isEmpty()) {
      throw misused(
          "no server is named: give --server URL, ARTIFACT_SERVER_URL, or \"server=\" in a profile");
    }
    URI server = server(address);
    Optional<String> token = token(options, environment, warnings);
    // Another server must not be told this token.
    if (token.isEmpty() && !ofProfile.isEmpty() && server.equals(server(ofProfile))) {
      token = token(profile);
    }
    Optional<Path> authorities =
        Optional.ofNullable(options.authorities)
            .or(() -> Optional.ofNullable(profile.getProperty("ca")).map(Path::of));
    if (token.isPresent()
        && "http".equals(server.getScheme())
        && !TokenSafety.isThisMachine(server)) {
      warnings.accept(
          "the token goes to %s unencrypted, where everybody on the way can read it: use https"
              .formatted(server));
    }
    return new Settings(server, token, authorities);
  }

  private static URI server(String address) throws ClientException {
    String stripped = address.strip().replaceAll("/+$", "");
    try {
      URI uri = new URI(stripped);
      String scheme = uri.getScheme();
      if (("http".equals(scheme) || "https".equals(scheme))
          && uri.getHost() != null
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null
          && uri.getRawUserInfo() == null) {
        return uri;
      }
    } catch (URISyntaxException e) {
      // The same answer as below.
    }
    throw misused("\"%s\" is no server: write https://host:8080".formatted(stripped));
  }

  private static Properties profile(ClientOptions options, Map<String, String> environment)
      throws ClientException {
    Properties profile = new Properties();
    Path file = options.profile;
    if (file == null) {
      file = folder(environment, "XDG_CONFIG_HOME", ".config").resolve("client.properties");
      if (!Files.exists(file)) {
        return profile;
      }
    }
    try (Reader in = Files.newBufferedReader(file)) {
      profile.load(in);
    } catch (IOException | IllegalArgumentException e) {
      throw misused("cannot read the profile %s: %s".formatted(file, Remote.reason(e)));
    }
    Set<String> unknown = new TreeSet<>(profile.stringPropertyNames());
    unknown.removeAll(NAMES);
    if (!unknown.isEmpty()) {
      throw misused("%s has the unknown settings %s".formatted(file, unknown));
    }
    if (profile.containsKey("token") && isForOthers(file)) {
      throw misused("%s has a token and others may read it: chmod 600 %1$s".formatted(file));
    }
    return profile;
  }

  private static Optional<String> token(
      ClientOptions options, Map<String, String> environment, Consumer<String> warnings)
      throws ClientException {
    Path file = options.tokenFile;
    if (file != null) {
      if (isForOthers(file)) {
        warnings.accept("others may read the token in %s: chmod 600 %1$s".formatted(file));
      }
      return Optional.of(readToken(file));
    }
    String variable = environment.getOrDefault("ARTIFACT_SERVER_TOKEN", "");
    return variable.isBlank()
        ? Optional.empty()
        : Optional.of(checked(variable, "ARTIFACT_SERVER_TOKEN"));
  }

  private static Optional<String> token(Properties profile) throws ClientException {
    String token = profile.getProperty("token");
    if (token != null) {
      return Optional.of(checked(token, "the profile"));
    }
    String file = profile.getProperty("token-file");
    return file == null ? Optional.empty() : Optional.of(readToken(Path.of(file)));
  }

  private static String readToken(Path file) throws ClientException {
    try {
      return checked(Files.readString(file), file.toString());
    } catch (IOException e) {
      throw misused("cannot read the token file %s: %s".formatted(file, Remote.reason(e)));
    }
  }

  /** Never shows the token. */
  private static String checked(String token, String place) throws ClientException {
    String stripped = token.strip();
    if (stripped.isEmpty() || !stripped.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw misused("there is no token in " + place);
    }
    return stripped;
  }

  private static boolean isForOthers(Path file) {
    try {
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
      return permissions.contains(PosixFilePermission.GROUP_READ)
          || permissions.contains(PosixFilePermission.OTHERS_READ);
    } catch (IOException | UnsupportedOperationException e) {
      // Reading the file says it better.
      return false;
    }
  }

  /** A folder of this program below one of the XDG's. */
  static Path folder(Map<String, String> environment, String variable, String below) {
    String base = environment.get(variable);
    return (base != null && base.startsWith("/") ? Path.of(base) : home(environment).resolve(below))
        .resolve("artifact-server");
  }

  private static Path home(Map<String, String> environment) {
    return Path.of(environment.getOrDefault("HOME", System.getProperty("user.home", "/")))
        .toAbsolutePath();
  }

  private static ClientException misused(String message) {
    return new ClientException(Reason.MISUSED, message);
  }

  /** Without the token. */
  @Override
  public String toString() {
    return server.toString();
  }
}
