package io.artifactserver.rest.console;

import io.artifactserver.core.access.Role;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.release.ReleaseException;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.api.release.ChannelController;
import io.artifactserver.rest.api.release.ChannelController.History;
import io.artifactserver.rest.api.release.ChannelView;
import io.artifactserver.rest.api.release.Pointing;
import io.artifactserver.rest.api.release.StageView;
import io.swagger.v3.oas.annotations.Hidden;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import tools.jackson.databind.json.JsonMapper;

/** Channels, and what they pointed to. Thread-safe. */
@Controller
@RequestMapping("/console")
@Hidden
public record ChannelPages(
    Templates templates,
    VisibleRepositories visible,
    ChannelController channels,
    Rollouts rollouts,
    InstantSource clock,
    JsonMapper mapper) {
  private static final String TITLE = "Repositories";
  private static final int PAGE = 50;
  private static final int MAX_FILES = 10;

  /** The channels of a repository. */
  @GetMapping("/channels")
  ResponseEntity<byte[]> list(@RequestParam String repository) {
    return templates.page(
        HttpStatus.OK,
        "channels",
        TITLE,
        Map.of(
            "repository",
            visible.of(repository),
            "channels",
            channels.list(repository).channels()));
  }

  /** One channel: where it points, and where it pointed. */
  @GetMapping("/channel")
  ResponseEntity<byte[]> channel(
      @RequestParam String repository,
      @RequestParam String name,
      @RequestParam(defaultValue = "" + Long.MAX_VALUE) long before)
      throws ReleaseException {
    visible.of(repository);
    History history =
        Objects.requireNonNull(channels.history(repository, name, before, PAGE).getBody());
    // A deleted one has a history, and can be made again.
    Optional<State> state =
        channels.list(repository).channels().stream().anyMatch(each -> each.channel().equals(name))
            ? Optional.of(state(repository, channels.get(repository, name)))
            : Optional.empty();
    List<ChannelView> changes = history.changes();
    return templates.page(
        HttpStatus.OK,
        "channel",
        TITLE,
        Map.of(
            "repository",
            repository,
            "name",
            name,
            "state",
            state,
            "changes",
            changes,
            "next",
            history.next().isEmpty()
                ? ""
                : Format.channel(repository, name) + "&before=" + changes.getLast().version()));
  }

  /** Returns the channels by which some device gets the artifact. */
  static List<ChannelView> leadingTo(String path, List<ChannelView> channels) {
    return channels.stream()
        .filter(channel ->
            Stream.of(channel.release(), channel.stage().base())
                .anyMatch(release -> release != null && path.startsWith(release + "/")))
        .toList();
  }

  private State state(String repository, ResponseEntity<ChannelView> found) {
    ChannelView view = Objects.requireNonNull(found.getBody());
    String release = String.valueOf(view.release());
    StageView stage = view.stage();
    return new State(
        view,
        Objects.requireNonNull(found.getHeaders().getETag()),
        Stage.of(view, clock.instant()),
        mapper.writeValueAsString(
            new Pointing(release, null, stage.groups(), stage.windows(), stage.stop(), null)),
        // How devices get on with a file is for admins.
        CurrentCaller.get().role() == Role.ADMIN
            ? files(repository, release, MAX_FILES)
            : List.of());
  }

  /** How far devices are with the artifacts of the release that the channel points to. */
  @GetMapping("/channel/rollout")
  ResponseEntity<byte[]> rollout(@RequestParam String repository, @RequestParam String name)
      throws ReleaseException {
    visible.of(repository);
    String release =
        String.valueOf(Objects.requireNonNull(channels.get(repository, name).getBody()).release());
    List<Artifact> found = files(repository, release, MAX_FILES + 1);
    List<Artifact> files = found.subList(0, Math.min(MAX_FILES, found.size()));
    return templates.page(
        HttpStatus.OK,
        "channelRollout",
        TITLE,
        Map.of(
            "repository",
            repository,
            "name",
            name,
            "release",
            release,
            "files",
            files,
            "isCut",
            found.size() > files.size(),
            "progress",
            files.isEmpty()
                ? new Progress(List.of())
                : rollouts.of(files.stream().map(RolloutPages::subject).toList())));
  }

  private List<Artifact> files(String repository, String release, int limit) {
    return visible.catalog().list(repository, release + "/", "", limit);
  }

  /**
   * A channel that is there.
   *
   * @param tag that a change of what the page shows has to send
   * @param stage empty if every device gets the release
   * @param kept JSON of a change that keeps everything but the percentage
   * @param files of the release, whose devices the visitor may see
   */
  public record State(
      ChannelView view, String tag, Optional<Stage> stage, String kept, List<Artifact> files) {}
}
