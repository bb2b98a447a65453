package io.artifactserver.rest.command.client;

import io.artifactserver.core.catalog.ArtifactId;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * A file whose bytes are where they should be.
 *
 * @param action {@code push} or {@code pull}
 * @param file on this machine
 * @param length of the file in bytes
 * @param transferred bytes of it that went over the network in this run
 * @param seeded bytes of it that an old version had
 * @param nanos that it took
 * @param wasThere whether nothing had to be done
 */
record Outcome(
    String action,
    String file,
    ArtifactId artifact,
    long length,
    long transferred,
    long seeded,
    long nanos,
    String sha256,
    boolean wasThere) {
  private static final double NANOS = 1e9;
  private static final int PERCENT = 100;

  /** A line for people. */
  String text() {
    boolean isPush = action.equals("push");
    String what =
        isPush ? "%s is %s".formatted(file, artifact) : "%s is %s".formatted(artifact, file);
    return "%s: %s, SHA-256 %s verified".formatted(what, how(), sha256);
  }

  private String how() {
    if (wasThere) {
      return "%s were there already".formatted(Figures.bytes(length));
    }
    StringBuilder how = new StringBuilder();
    how.append(Figures.bytes(length));
    if (transferred < length) {
      how.append(", of which ")
          .append(Figures.bytes(transferred))
          .append(action.equals("push") ? " sent" : " fetched");
      if (seeded > 0) {
        how.append(
            ", %s (%d%%) taken from the seed"
                .formatted(Figures.bytes(seeded), seeded * PERCENT / length));
      }
    }
    double seconds = nanos / NANOS;
    how.append(", in %.1f s".formatted(seconds));
    if (seconds > 0) {
      how.append(" (%s)".formatted(Figures.rate(transferred / seconds)));
    }
    return how.toString();
  }

  /** For scripts: the field names are fixed. */
  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("status", wasThere ? "unchanged" : "done");
    json.put("action", action);
    json.put("file", file);
    json.put("repository", artifact.repository());
    json.put("path", artifact.path());
    json.put("bytes", length);
    json.put("transferred", transferred);
    json.put("seeded", seeded);
    json.put("seconds", Math.round(nanos / 1e6) / 1e3);
    json.put("sha256", sha256);
    json.put("verified", true);
    return json;
  }

  /**
   * A command that failed, for scripts.
   *
   * @param status {@code failed}
   * @param exit the exit status
   */
  record Failure(String status, String action, int exit, String error) {
    Failure(String action, int exit, String error) {
      this("failed", action, exit, Printable.of(error));
    }

    void print(PrintWriter out) {
      out.println(Printable.json(JsonMapper.shared().writeValueAsString(this)));
      out.flush();
    }
  }
}
