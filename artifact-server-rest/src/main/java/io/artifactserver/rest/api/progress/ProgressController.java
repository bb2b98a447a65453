package io.artifactserver.rest.api.progress;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.progress.DeliveryError;
import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.ProgressBook;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.core.progress.Sending;
import io.artifactserver.rest.access.AccessRules;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.api.events.EventStreams;
import io.artifactserver.rest.api.events.Follower;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** Shows how much of an artifact each device has. Thread-safe. */
@RestController
@RequestMapping(ProgressController.PATH)
@Tag(name = "Progress")
public record ProgressController(
    ArtifactCatalog catalog,
    ProgressBook book,
    ProgressStore store,
    EventStreams<ProgressSubject, DeviceProgress> events,
    Authenticator authenticator,
    InstantSource clock) {
  static final String PATH = "/api/v1/progress";

  private static final String EVENTS = "/events";
  private static final int MAX_LIMIT = 10_000;

  /** A page of devices, by name; or the artifacts of one device. */
  @GetMapping
  @Operation(
      summary = "Show which devices have an artifact, or what a device has",
      description =
          "With \"repository\" and \"path\": devices that were sent some of the artifact, by name."
              + " With \"missing\" as well: devices that were sent something of the repository, and"
              + " not all of the artifact. With \"device\" alone: the artifacts that it was sent"
              + " some of, the newest first, 1000 at most unless \"limit\" says otherwise."
              + " \"complete\" is true once every byte was sent. \"rate\" is in bytes per second, of"
              + " a download that goes on; \"averageRate\" of all of them. The Link field names the"
              + " next page of devices.")
  public ResponseEntity<List<ProgressView>> list(
      @RequestParam(required = false) @Nullable String repository,
      @RequestParam(required = false) @Nullable String path,
      @RequestParam(required = false) @Nullable String device,
      @Parameter(description = "Devices that do not have all of the artifact")
          @RequestParam(defaultValue = "false")
          boolean missing,
      @Parameter(description = "Every name comes behind it") @RequestParam(defaultValue = "")
          String after,
      @Parameter(description = "Of the page's size, 1 to 10000")
          @RequestParam(defaultValue = "1000")
          int limit) {
    if (limit < 1 || limit > MAX_LIMIT || after.indexOf('\0') >= 0) {
      throw refused(
          "Page out of bounds",
          "\"limit\" must be 1 to %d, and \"after\" the name of a device.".formatted(MAX_LIMIT));
    }
    if (device != null && repository == null && path == null) {
      if (device.indexOf('\0') >= 0) {
        throw refused("No device", "\"device\" is the name of a device.");
      }
      return ResponseEntity.ok(
          book.ofDevice(device, limit).stream()
              .map(found ->
                  ProgressView.of(found.id(), found.progress(), found.length(), clock.instant()))
              .toList());
    }
    if (repository == null || path == null || device != null) {
      throw refused("Unclear question", "Give \"repository\" and \"path\", or \"device\" alone.");
    }
    ArtifactId id = new ArtifactId(repository, path);
    ProgressSubject subject = subject(id);
    List<DeviceProgress> found =
        missing ? book.missing(subject, after, limit + 1) : book.list(subject, after, limit + 1);
    List<DeviceProgress> page = found.subList(0, Math.min(limit, found.size()));
    ResponseEntity.BodyBuilder response = ResponseEntity.ok();
    if (found.size() > limit) {
      response.header(HttpHeaders.LINK, nextLink(id, missing, page.getLast().device(), limit));
    }
    Instant now = clock.instant();
    return response.body(
        page.stream()
            .map(progress -> ProgressView.of(null, progress, subject.length(), now))
            .toList());
  }

  /** The sum over all devices of an artifact. */
  @GetMapping("/summary")
  @Operation(
      summary = "Show how many devices have an artifact",
      description = "As the database has it: a few seconds old, more while many devices download.")
  public SummaryView summary(@RequestParam String repository, @RequestParam String path) {
    ProgressSubject subject = subject(new ArtifactId(repository, path));
    return SummaryView.of(
        store.summary(subject, clock.instant().minus(Sending.GAP)), subject.length());
  }

  /** Tells of each device as it gets on. */
  @GetMapping(value = EVENTS, produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  @Operation(
      summary = "Follow devices as they get an artifact",
      description =
          "Server-sent events. Each \"progress\" is one device, as in the list, whenever the"
              + " database has got more of it. Listen first, then ask for the list. The stream ends"
              + " after ten minutes, when its client is too slow, or when its token is no longer"
              + " good: come again, and ask for the list again.")
  public SseEmitter events(
      @RequestParam String repository, @RequestParam String path, HttpServletRequest request) {
    ProgressSubject subject = subject(new ArtifactId(repository, path));
    return events
        .open(
            subject,
            Follower.of(
                request, authenticator, caller -> AccessRules.allow(caller, "GET", PATH + EVENTS)),
            () -> SseEmitter.event().comment("begin"),
            progress ->
                SseEmitter.event()
                    .name("progress")
                    .data(ProgressView.of(null, progress, subject.length(), clock.instant())))
        .orElseThrow(() ->
            new ProblemException(
                HttpStatus.SERVICE_UNAVAILABLE,
                "Too many listeners",
                "At most %d clients can listen to the progress of devices at a time, %d of them with the same token. Ask for the list instead."
                    .formatted(events.bounds().streams(), events.bounds().streamsOfCaller())));
  }

  private ProgressSubject subject(ArtifactId id) {
    Artifact artifact =
        catalog.find(id).orElseThrow(() -> new ProblemException(Problems.artifactNotFound(id)));
    return new ProgressSubject(id.repository(), artifact.digests().sha256(), artifact.length());
  }

  private static ProblemException refused(String title, String detail) {
    return new ProblemException(HttpStatus.BAD_REQUEST, title, detail);
  }

  private static String nextLink(ArtifactId id, boolean missing, String after, int limit) {
    return "</api/v1/progress?repository=%s&path=%s%s&after=%s&limit=%d>; rel=\"next\""
        .formatted(
            id.repository(),
            URLEncoder.encode(id.path(), StandardCharsets.UTF_8),
            missing ? "&missing=true" : "",
            URLEncoder.encode(after, StandardCharsets.UTF_8),
            limit);
  }

  /**
   * The progress of one device with an artifact.
   *
   * @param repository of the artifact; absent where the question names it
   * @param path of the artifact; absent where the question names it
   * @param device name of the device
   * @param bytes how many were sent, each counted once
   * @param length of the artifact, in bytes
   * @param complete whether every byte was sent
   * @param updated when the last of them were sent; null if none were
   * @param rate bytes per second of a download that goes on; null if none does, or if it has not
   *     taken any time
   * @param averageRate bytes per second of all downloads; null if they have not taken any time
   * @param lastError why the latest download that broke off did; null if none did
   */
  public record ProgressView(
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String repository,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String path,
      String device,
      long bytes,
      long length,
      boolean complete,
      @Nullable Instant updated,
      @Nullable Long rate,
      @Nullable Long averageRate,
      @Nullable ErrorView lastError) {
    static ProgressView of(
        @Nullable ArtifactId id, DeviceProgress progress, long length, Instant now) {
      long bytes = progress.delivered().count();
      return new ProgressView(
          id == null ? null : id.repository(),
          id == null ? null : id.path(),
          progress.device(),
          bytes,
          length,
          bytes == length,
          progress.updatedAt().equals(Instant.EPOCH) ? null : progress.updatedAt(),
          orNull(progress.sending().rate(now)),
          orNull(progress.sending().averageRate()),
          progress.lastError() == null ? null : ErrorView.of(progress.lastError()));
    }

    private static @Nullable Long orNull(OptionalLong value) {
      return value.isPresent() ? Long.valueOf(value.getAsLong()) : null;
    }
  }

  /**
   * Why a download broke off.
   *
   * @param reason {@code aborted} if the device went away, or took too little for too long; {@code
   *     failed} if the storage failed
   * @param at when
   */
  public record ErrorView(String reason, Instant at) {
    static ErrorView of(DeliveryError error) {
      return new ErrorView(error.reason().name().toLowerCase(Locale.ROOT), error.at());
    }
  }

  /**
   * The progress of all devices with an artifact.
   *
   * @param devices that were sent some of it
   * @param complete those that were sent all of it
   * @param active those that were sent something within the last minute
   * @param length of the artifact, in bytes
   * @param averageBytes that one of the devices has, on average
   * @param rate bytes per second of the active ones together
   */
  public record SummaryView(
      long devices, long complete, long active, long length, long averageBytes, long rate) {
    static SummaryView of(ProgressStore.Summary found, long length) {
      return new SummaryView(
          found.devices(),
          found.complete(),
          found.active(),
          length,
          found.devices() == 0 ? 0 : found.bytes() / found.devices(),
          found.rate());
    }
  }
}
