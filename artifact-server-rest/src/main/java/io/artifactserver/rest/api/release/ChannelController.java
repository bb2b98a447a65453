package io.artifactserver.rest.api.release;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.artifactserver.core.access.Caller;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.release.Channel;
import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.core.release.ChannelState;
import io.artifactserver.core.release.ReleaseException;
import io.artifactserver.core.release.StageWatch;
import io.artifactserver.rest.access.AccessRules;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Channels, which devices follow from release to release. Thread-safe. */
@RestController
@RequestMapping("/api/v1/repositories/{repository}/channels")
@Tag(name = "Channels")
public record ChannelController(ArtifactCatalog catalog, ChannelBook book, StageWatch watch) {
  private static final int MAX_LIMIT = 1000;

  /** The channels of a repository that the caller may know of, by name. */
  @GetMapping
  @Operation(
      summary = "List the channels of a repository",
      description = "A token that is limited to paths sees the channels of releases in its scope.")
  public ChannelList list(@PathVariable String repository) {
    if (catalog.repository(Repository.requireName(repository)).isEmpty()) {
      throw new ProblemException(Problems.repositoryNotFound(repository));
    }
    Caller caller = CurrentCaller.get();
    return new ChannelList(
        book.of(repository).stream()
            .filter(state -> maySee(caller, state))
            .map(state -> ChannelView.of(state, caller, null))
            .toList());
  }

  /** One channel. */
  @GetMapping("/{channel}")
  @Operation(
      summary = "Describe a channel",
      description =
          "Its ETag is what a change has to send as If-Match. Where it has a \"stop\", \"devices\""
              + " are those that began with the release within its time, and how they got on.")
  public ResponseEntity<ChannelView> get(
      @PathVariable String repository, @PathVariable String channel) throws ReleaseException {
    ChannelState state = visible(new Channel(repository, channel));
    return shown(state, watch.numbers(state));
  }

  /** Points a channel to a release: 200. */
  @PutMapping("/{channel}")
  @Operation(
      summary = "Point a channel to a release",
      description =
          "\"release\" is a folder of artifacts, such as \"1.2\"; devices get its files from"
              + " /artifacts/{repository}/@{channel}/... at once. If-Match has the ETag of the"
              + " channel as you saw it: without one a channel that exists is not changed (428),"
              + " and with another one neither (412). If-None-Match: * makes a channel only."
              + " With a \"percentage\" below 100 so many devices get the release, the same ones"
              + " each time, and the others what all had before. \"groups\" limits it to devices"
              + " whose token's name fits one of \"callers\" and has all \"labels\", and whose address is in one of"
              + " \"addresses\". \"windows\" are the times in which further devices get it, such as"
              + " \"Mon-Fri 22:00-04:00 Europe/Berlin\". \"stop\" takes it back by itself when more than \"percentage\" of"
              + " the devices that began \"within\" a time broke off, stalled or reported a"
              + " failure.")
  public ResponseEntity<ChannelView> put(
      @PathVariable String repository,
      @PathVariable String channel,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch,
      @RequestHeader(name = HttpHeaders.IF_NONE_MATCH, required = false)
          @Nullable String ifNoneMatch,
      @Valid @RequestBody Pointing request)
      throws ReleaseException {
    Channel named = new Channel(repository, channel);
    String release = folder(Objects.requireNonNull(request.release()));
    if (!CurrentCaller.get().mayRead(new ArtifactId(repository, release))) {
      throw new ProblemException(Problems.forbidden(AccessRules.OUT_OF_SCOPE));
    }
    Condition condition = new Condition(channel, ifMatch, ifNoneMatch);
    ChannelState after =
        book.point(
            named,
            release,
            request.rollout(),
            Objects.requireNonNullElse(request.comment(), ""),
            audited(condition::requireForPut));
    return changed(after);
  }

  /** Points a channel to the release before: 200. */
  @PostMapping("/{channel}/rollback")
  @Operation(
      summary = "Point a channel to the release before",
      description =
          "Goes back to the release that the channel pointed to before its present one. Rolled back"
              + " again, it goes one release further back. With If-Match, only if the channel is as"
              + " you saw it: then two people who see the same failure go back one release, not"
              + " two.")
  public ResponseEntity<ChannelView> rollBack(
      @PathVariable String repository,
      @PathVariable String channel,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch,
      @Valid @RequestBody(required = false) @Nullable Comment request)
      throws ReleaseException {
    Condition condition = new Condition(channel, ifMatch, null);
    return changed(
        book.rollBack(
            new Channel(repository, channel),
            comment(request),
            audited(condition::requireIfGiven)));
  }

  /** Lets no further device have the release: 200. */
  @PostMapping("/{channel}/pause")
  @Operation(
      summary = "Pause a rollout",
      description =
          "Devices that were to get the release are told that there is nothing for them; downloads"
              + " that run go on.")
  public ResponseEntity<ChannelView> pause(
      @PathVariable String repository,
      @PathVariable String channel,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch,
      @Valid @RequestBody(required = false) @Nullable Comment request)
      throws ReleaseException {
    return pause(new Channel(repository, channel), true, ifMatch, request);
  }

  /** Lets a rollout go on: 200. */
  @PostMapping("/{channel}/resume")
  @Operation(summary = "Resume a rollout that was paused")
  public ResponseEntity<ChannelView> resume(
      @PathVariable String repository,
      @PathVariable String channel,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch,
      @Valid @RequestBody(required = false) @Nullable Comment request)
      throws ReleaseException {
    return pause(new Channel(repository, channel), false, ifMatch, request);
  }

  private ResponseEntity<ChannelView> pause(
      Channel channel, boolean pause, @Nullable String ifMatch, @Nullable Comment request)
      throws ReleaseException {
    Condition condition = new Condition(channel.name(), ifMatch, null);
    return changed(
        book.pause(channel, pause, comment(request), audited(condition::requireIfGiven)));
  }

  private static String comment(@Nullable Comment request) {
    String comment = request == null ? null : request.comment();
    return Objects.requireNonNullElse(comment, "");
  }

  /** Deletes a channel: 204. */
  @DeleteMapping("/{channel}")
  @Operation(
      summary = "Delete a channel",
      description =
          "Its addresses answer 404 from now on; the artifacts stay. Its history stays, too, and"
              + " goes on when there is a channel of that name again. Needs If-Match as PUT does.")
  public ResponseEntity<Void> delete(
      @PathVariable String repository,
      @PathVariable String channel,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch)
      throws ReleaseException {
    Condition condition = new Condition(channel, ifMatch, null);
    book.delete(new Channel(repository, channel), audited(condition::requireForPut));
    return ResponseEntity.noContent().build();
  }

  /** A page of the states that a channel had, the newest first. */
  @GetMapping("/{channel}/history")
  @Operation(
      summary = "List what a channel pointed to",
      description = "The newest change first. Follow \"next\" until there is none.")
  public ResponseEntity<History> history(
      @PathVariable String repository,
      @PathVariable String channel,
      @Parameter(description = "Every version is before it; \"next\" has its value")
          @RequestParam(defaultValue = "" + Long.MAX_VALUE)
          long before,
      @Parameter(description = "Of the page's size, 1 to 1000") @RequestParam(defaultValue = "100")
          int limit)
      throws ReleaseException {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new ProblemException(
          HttpStatus.BAD_REQUEST,
          "Limit out of bounds",
          "\"limit\" is 1 to %d.".formatted(MAX_LIMIT));
    }
    Channel named = new Channel(repository, channel);
    Caller caller = CurrentCaller.get();
    List<ChannelState> found = book.history(named, before, limit + 1);
    if (found.isEmpty() || !maySee(caller, named)) {
      visible(named);
    }
    List<ChannelState> page = found.subList(0, Math.min(limit, found.size()));
    ResponseEntity.BodyBuilder response = ResponseEntity.ok();
    String next = "";
    if (found.size() > limit) {
      next =
          "/api/v1/repositories/%s/channels/%s/history?before=%d&limit=%d"
              .formatted(repository, channel, page.getLast().version(), limit);
      response.header(HttpHeaders.LINK, "<" + next + ">; rel=\"next\"");
    }
    return response.body(
        new History(
            page.stream()
                .filter(state -> maySee(caller, state))
                .map(state -> ChannelView.of(state, caller, null))
                .toList(),
            next));
  }

  /** A caller learns only of channels in its scope; outside of it, all are refused alike. */
  private ChannelState visible(Channel channel) throws ReleaseException.NoChannel {
    Caller caller = CurrentCaller.get();
    Optional<ChannelState> found = book.find(channel).filter(state -> maySee(caller, state));
    if (found.isEmpty() && !maySee(caller, channel)) {
      throw new ProblemException(Problems.forbidden(AccessRules.OUT_OF_SCOPE));
    }
    return found.orElseThrow(() -> new ReleaseException.NoChannel(channel));
  }

  private static boolean maySee(Caller caller, ChannelState state) {
    String release = state.release();
    return maySee(caller, state.channel())
        || (release != null
            && caller.mayRead(new ArtifactId(state.channel().repository(), release)));
  }

  private static boolean maySee(Caller caller, Channel channel) {
    return caller.mayRead(channel.address());
  }

  private static Consumer<Optional<ChannelState>> audited(
      Consumer<Optional<ChannelState>> condition) {
    return before -> {
      condition.accept(before);
      before.ifPresent(state -> AuditDetails.before(ChannelView.of(state)));
    };
  }

  private static ResponseEntity<ChannelView> changed(ChannelState after) {
    AuditDetails.after(ChannelView.of(after));
    return shown(after, null);
  }

  private static ResponseEntity<ChannelView> shown(
      ChannelState state, StageWatch.@Nullable Numbers devices) {
    return ResponseEntity.ok()
        .eTag(ChannelView.tag(state).toString())
        .body(ChannelView.of(state, CurrentCaller.get(), devices));
  }

  private static String folder(String release) {
    return release.endsWith("/") ? release.substring(0, release.length() - 1) : release;
  }

  /**
   * Channels.
   *
   * @param channels by name
   */
  public record ChannelList(List<ChannelView> channels) {}

  /**
   * A page of a channel's states.
   *
   * @param changes the newest first
   * @param next path of the next page; absent on the last
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record History(
      @JsonInclude(JsonInclude.Include.ALWAYS) List<ChannelView> changes, String next) {}
}
