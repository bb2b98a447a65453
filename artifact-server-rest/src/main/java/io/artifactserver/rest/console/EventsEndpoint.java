package io.artifactserver.rest.console;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.Role;
import io.artifactserver.rest.access.Authentication;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.ConsolePaths;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.access.CurrentCaller;
import io.artifactserver.rest.api.progress.ProgressEvents;
import io.artifactserver.rest.problem.ProblemException;
import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import tools.jackson.databind.json.JsonMapper;

/** The one connection of an open page, by which it is told what happens. Thread-safe. */
@Controller
@Hidden
public record EventsEndpoint(
    LiveEvents events,
    Traffic traffic,
    RolloutPages rollouts,
    Authenticator authenticator,
    JsonMapper mapper) {
  /** Tells of one artifact; of the whole server where none is named. */
  @GetMapping(value = ConsolePaths.EVENTS, produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  SseEmitter events(
      @RequestParam(defaultValue = "") String repository,
      @RequestParam(defaultValue = "") String path,
      HttpServletRequest request) {
    Credentials credentials =
        Credentials.of(Optional.ofNullable(request.getHeader(HttpHeaders.AUTHORIZATION)));
    return events
        .open(
            path.isEmpty() ? new Server(traffic, mapper) : rollouts.live(repository, path),
            CurrentCaller.get().id(),
            () -> mayLook(credentials),
            () -> ProgressEvents.leave(request))
        .orElseThrow(() ->
            new ProblemException(
                HttpStatus.SERVICE_UNAVAILABLE,
                "Too many open pages",
                "At most %d pages are told what happens at a time, %d of them with the same token."
                    .formatted(LiveEvents.MAX_PAGES, LiveEvents.MAX_PAGES_OF_CALLER)));
  }

  /** A token may be revoked, or expire, while its owner looks. */
  private boolean mayLook(Credentials credentials) {
    return authenticator.tryToAuthenticate(credentials, null)
            instanceof Authentication.Known(Caller caller)
        && caller.role() == Role.ADMIN;
  }

  /** The whole server. */
  private record Server(Traffic traffic, JsonMapper mapper) implements LiveEvents.Subject {
    @Override
    public String first() {
      return mapper.writeValueAsString(traffic.samples());
    }

    @Override
    public String now() {
      List<Traffic.Sample> samples = traffic.samples();
      return mapper.writeValueAsString(
          samples.subList(Math.max(0, samples.size() - 1), samples.size()));
    }
  }
}
