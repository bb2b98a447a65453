package io.artifactserver.rest.console;

import io.artifactserver.core.access.Role;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.ConsolePaths;
import io.artifactserver.rest.access.session.Session;
import io.artifactserver.rest.access.session.Sessions;
import io.artifactserver.rest.api.events.EventStreams;
import io.artifactserver.rest.api.events.Follower;
import io.artifactserver.rest.problem.ProblemException;
import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    EventStreams<LiveEvents.Subject, String> pages,
    Traffic traffic,
    Rollouts rollouts,
    RolloutPages artifacts,
    Authenticator authenticator,
    Sessions sessions,
    JsonMapper mapper) {
  /** Names of events. */
  private static final String FIRST = "first";

  private static final String NOW = "now";

  /** Tells of one artifact; of the whole server where none is named. */
  @GetMapping(value = ConsolePaths.EVENTS, produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  SseEmitter events(
      @RequestParam(defaultValue = "") String repository,
      @RequestParam(defaultValue = "") String path,
      HttpServletRequest request) {
    Optional<Session> session = Session.of(request);
    LiveEvents.Subject subject =
        path.isEmpty() ? new Server(traffic, rollouts, mapper) : artifacts.live(repository, path);
    return pages
        .open(
            subject,
            Follower.of(request, authenticator, caller -> caller.role() == Role.ADMIN)
                .asLongAs(() -> session.map(sessions::goesOn).orElse(true)),
            () -> SseEmitter.event().name(FIRST).data(subject.first()),
            news -> SseEmitter.event().name(NOW).data(news))
        .orElseThrow(() ->
            new ProblemException(
                HttpStatus.SERVICE_UNAVAILABLE,
                "Too many open pages",
                "At most %d pages are told what happens at a time, %d of them with the same token."
                    .formatted(pages.bounds().streams(), pages.bounds().streamsOfCaller())));
  }

  /** The whole server. */
  private record Server(Traffic traffic, Rollouts rollouts, JsonMapper mapper)
      implements LiveEvents.Subject {
    @Override
    public String first() {
      return json(traffic.samples());
    }

    @Override
    public String now() {
      List<Traffic.Sample> samples = traffic.samples();
      return json(samples.subList(Math.max(0, samples.size() - 1), samples.size()));
    }

    private String json(List<Traffic.Sample> samples) {
      return mapper.writeValueAsString(Map.of("samples", samples, "active", rollouts.active()));
    }
  }
}
