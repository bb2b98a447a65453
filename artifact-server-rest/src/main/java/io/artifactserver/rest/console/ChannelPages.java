package io.artifactserver.rest.console;

import io.artifactserver.core.release.ReleaseException;
import io.artifactserver.rest.api.release.ChannelController;
import io.artifactserver.rest.api.release.ChannelController.History;
import io.artifactserver.rest.api.release.ChannelView;
import io.swagger.v3.oas.annotations.Hidden;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Channels, and what they pointed to. Thread-safe. */
@Controller
@RequestMapping("/console")
@Hidden
public record ChannelPages(
    Templates templates, VisibleRepositories visible, ChannelController channels) {
  private static final String TITLE = "Repositories";
  private static final int PAGE = 50;

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
    Optional<State> state = Optional.empty();
    // A deleted one has a history, and can be made again.
    if (channels.list(repository).channels().stream()
        .anyMatch(each -> each.channel().equals(name))) {
      ResponseEntity<ChannelView> found = channels.get(repository, name);
      state =
          Optional.of(
              new State(
                  Objects.requireNonNull(found.getBody()),
                  Objects.requireNonNull(found.getHeaders().getETag())));
    }
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

  /**
   * A channel that is there.
   *
   * @param tag that a change of what the page shows has to send
   */
  public record State(ChannelView view, String tag) {}
}
