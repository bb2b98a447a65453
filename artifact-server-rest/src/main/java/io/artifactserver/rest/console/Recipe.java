package io.artifactserver.rest.console;

import io.artifactserver.rest.api.artifact.ArtifactView;
import java.util.ArrayList;
import java.util.List;

/**
 * A line to copy, which fetches an artifact with one of the usual clients. Immutable.
 *
 * @param name of the client
 * @param text to copy; what the reader has to fill in is in capitals
 */
public record Recipe(String name, String text) {
  /**
   * The recipes of an artifact.
   *
   * @param server the address of this server, as the browser knows it, without a slash at its end
   * @param isPublic whether clients need no token
   */
  static List<Recipe> of(ArtifactView artifact, String server, boolean isPublic) {
    String url = server + artifact.links().download();
    // Clients that know nothing else send a token as a password.
    String open = isPublic ? url : url.replaceFirst("://", "://device:TOKEN@");
    String token = isPublic ? "" : "-H 'Authorization: Bearer TOKEN' ";
    String name = artifact.path().substring(artifact.path().lastIndexOf('/') + 1);
    // Programs take a file that begins with a hyphen for an option.
    String file = name.startsWith("-") ? "./" + name : name;
    List<Recipe> recipes = new ArrayList<>();
    recipes.add(
        new Recipe(
            "curl",
            "curl -fL -C - %s-o %s %s%necho %s | sha256sum -c"
                .formatted(
                    token, quoted(file), quoted(url), quoted(artifact.sha256() + "  " + file))));
    recipes.add(new Recipe("artifact-server pull", "./artifact-server pull " + quoted(url)));
    recipes.add(new Recipe("RAUC", "rauc install " + quoted(open)));
    recipes.add(new Recipe("SWUpdate", "swupdate -d " + quoted("-u " + open)));
    if (hasForm(artifact, "caibx")) {
      String store = open.substring(0, open.lastIndexOf('/') + 1) + "default.castr";
      recipes.add(
          new Recipe(
              "desync",
              "desync extract --seed OLD.caibx --store %s %s %s"
                  .formatted(quoted(store), quoted(open + ".caibx"), quoted(file))));
    }
    if (hasForm(artifact, "zsync")) {
      recipes.add(
          new Recipe(
              "zsync",
              "zsync %s-i OLD -o %s %s"
                  .formatted(
                      isPublic ? "" : "-A " + quoted(host(server) + "=device:TOKEN") + " ",
                      quoted(file),
                      quoted(url + ".zsync"))));
    }
    return recipes;
  }

  private static String host(String server) {
    String authority = server.substring(server.indexOf("://") + "://".length());
    int port = authority.lastIndexOf(':');
    return port > authority.lastIndexOf(']') ? authority.substring(0, port) : authority;
  }

  private static boolean hasForm(ArtifactView artifact, String name) {
    return artifact.forms().stream()
        .anyMatch(form -> form.name().equals(name) && form.state().equals("ready"));
  }

  /** As one word of a shell, whatever is in it. */
  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }
}
