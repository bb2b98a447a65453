package io.artifactserver.rest.console;

import io.artifactserver.core.audit.AuditLog;
import io.artifactserver.core.audit.AuditRecord;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.release.ChannelState;
import io.artifactserver.core.release.ChannelStore;
import io.artifactserver.rest.api.release.StageView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tells what happened to an artifact, by the audit and by the channels that lead or led to it.
 * Thread-safe.
 */
@Component
public record ArtifactHistory(AuditLog audit, ChannelStore channels, JsonMapper mapper) {
  /** Lines that a person reads; of each source, so that none hides the other. */
  private static final int MAX_LINES = 50;

  /** Letters of a digest that tell two artifacts apart. */
  private static final int DIGEST_LETTERS = 12;

  /** Returns the newest events, the newest first. Asks the database. */
  List<Event> of(ArtifactId id) {
    return Stream.concat(changes(id).stream(), releases(id))
        .sorted(Comparator.comparing(Event::at).reversed())
        .toList();
  }

  private List<Event> changes(ArtifactId id) {
    // As entries have it.
    String artifact =
        "\"repository\":%s,\"path\":%s"
            .formatted(
                mapper.writeValueAsString(id.repository()), mapper.writeValueAsString(id.path()));
    List<Event> events = new ArrayList<>();
    String before = "";
    for (AuditRecord each : audit.newest(artifact, MAX_LINES).reversed()) {
      JsonNode entry = mapper.readTree(each.entry());
      events.add(event(each.at(), entry, before));
      before = text(entry.path("after"), "sha256").orElse(before);
    }
    return events;
  }

  private Stream<Event> releases(ArtifactId id) {
    Set<String> folders = new HashSet<>();
    String path = id.path();
    for (int end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      folders.add(path.substring(0, end));
    }
    return channels.pointing(id.repository(), folders, MAX_LINES).stream()
        .map(ArtifactHistory::event);
  }

  private static Event event(ChannelState state) {
    return new Event(
        state.changedAt(),
        "",
        "Released by the channel",
        "%s to %s%s"
            .formatted(
                state.release(),
                Stage.line(StageView.of(state.rollout())),
                state.comment().isEmpty() ? "" : ": " + state.comment()),
        state.channel().name(),
        Optional.empty());
  }

  private static Event event(Instant at, JsonNode entry, String sha256) {
    String path = entry.path("path").asString("");
    JsonNode after = entry.path("after");
    String who =
        text(entry, "name").orElseGet(() -> "the server's job " + entry.path("job").asString(""));
    return new Event(
        at,
        who,
        what(entry, path, after, sha256),
        detail(path, after),
        "",
        isHold(path, after)
            ? text(after.path("hold"), "until").map(Instant::parse)
            : Optional.empty());
  }

  private static String what(JsonNode entry, String path, JsonNode after, String sha256) {
    if (after.isMissingNode()) {
      return path.startsWith("/api/v1/repositories/") ? "Deleted" : "Upload given up";
    }
    if (path.startsWith("/api/v1/fetches")) {
      return "Fetch " + after.path("state").asString("");
    }
    if (path.equals("/api/v1/links")) {
      return "Link signed";
    }
    if (!after.has("links")) {
      return "Upload begun";
    }
    boolean isPut = entry.path("method").asString("").equals("PUT");
    if (isPut && isHold(path, after)) {
      return "Held";
    }
    if (isPut && path.endsWith("/support") && after.has("support")) {
      return "Support said";
    }
    if (path.endsWith("/undelete")) {
      return "Deletion taken back";
    }
    return sha256.isEmpty() || sha256.equals(after.path("sha256").asString(""))
        ? "Uploaded"
        : "Replaced";
  }

  private static String detail(String path, JsonNode after) {
    if (isHold(path, after)) {
      return after.path("hold").path("reason").asString("");
    }
    if (path.endsWith("/support") && after.has("support")) {
      return "%s release, until %s"
          .formatted(
              after.path("support").path("release").asString(""),
              after.path("support").path("end").asString(""));
    }
    return text(after, "sha256")
        .map(sha256 ->
            "%sSHA-256 %s"
                .formatted(
                    after.path("length").isNumber()
                        ? Format.bytes(after.path("length").asLong()) + ", "
                        : "",
                    sha256.substring(0, Math.min(DIGEST_LETTERS, sha256.length()))))
        .orElse("");
  }

  private static boolean isHold(String path, JsonNode after) {
    return path.endsWith("/hold") && after.has("hold");
  }

  private static Optional<String> text(JsonNode node, String property) {
    return Optional.of(node.path(property).asString("")).filter(value -> !value.isEmpty());
  }

  /**
   * Something that happened.
   *
   * @param who did it; empty if the history does not have it
   * @param what happened, in a few words
   * @param detail for people; may be empty
   * @param channel that did it; empty if none did
   * @param until when it ends, if it says so
   */
  public record Event(
      Instant at,
      String who,
      String what,
      String detail,
      String channel,
      Optional<Instant> until) {}
}
