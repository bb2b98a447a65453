package io.artifactserver.rest.console;

import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.progress.ProgressBook;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.rest.api.release.ChannelController;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Hidden;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import tools.jackson.databind.json.JsonMapper;

/** How far devices are with an artifact, and what one device has. Thread-safe. */
@Controller
@RequestMapping("/console")
@Hidden
public record RolloutPages(
    Templates templates,
    ArtifactCatalog catalog,
    ProgressBook book,
    Rollouts rollouts,
    ChannelController channels,
    InstantSource clock,
    JsonMapper mapper) {
  private static final String TITLE = "Rollout";
  private static final int MAX_ARTIFACTS = 100;

  /** All devices of an artifact; without one, the question which. */
  @GetMapping("/rollout")
  ResponseEntity<byte[]> rollout(
      @RequestParam(defaultValue = "") String repository,
      @RequestParam(defaultValue = "") String path) {
    if (repository.isEmpty() || path.isEmpty()) {
      return templates.page(
          HttpStatus.OK,
          "rollouts",
          TITLE,
          Map.of("repositories", catalog.repositories().stream().map(Repository::name).toList()));
    }
    Artifact artifact = artifact(repository, path);
    return templates.page(
        HttpStatus.OK,
        "rollout",
        TITLE,
        Map.of(
            "artifact",
            artifact,
            "rollout",
            rollouts.of(subject(artifact)),
            "channels",
            ChannelPages.leadingTo(path, channels.list(repository).channels())));
  }

  /** One device, and its artifacts. */
  @GetMapping("/device")
  ResponseEntity<byte[]> device(@RequestParam String name) {
    if (name.indexOf('\0') >= 0) {
      throw new ProblemException(
          HttpStatus.BAD_REQUEST, "No device", "\"name\" is the name of a device.");
    }
    List<ProgressStore.ArtifactProgress> artifacts = book.ofDevice(name, MAX_ARTIFACTS);
    return templates.page(
        HttpStatus.OK,
        "device",
        TITLE,
        Map.of("name", name, "artifacts", artifacts, "now", clock.instant()));
  }

  /** The events of the artifact's open pages. */
  LiveEvents.Subject live(String repository, String path) {
    return new Live(subject(artifact(repository, path)), this);
  }

  private Artifact artifact(String repository, String path) {
    ArtifactId id = new ArtifactId(repository, path);
    return catalog.find(id).orElseThrow(() -> new ProblemException(Problems.artifactNotFound(id)));
  }

  static ProgressSubject subject(Artifact artifact) {
    return new ProgressSubject(
        artifact.repository().name(), artifact.digests().sha256(), artifact.length());
  }

  /** Equal for equal artifacts, so that several pages ask the database once. */
  private record Live(ProgressSubject subject, RolloutPages pages) implements LiveEvents.Subject {
    @Override
    public String now() {
      Rollout rollout = pages.rollouts.of(subject);
      RangeMap map = rollout.map();
      return pages.mapper.writeValueAsString(
          Map.of(
              "map",
              map.percent(),
              "text",
              map.text(),
              "none",
              rollout.waiting(),
              "some",
              rollout.started(),
              "all",
              rollout.summary().complete(),
              "active",
              rollout.summary().active(),
              "rate",
              rollout.summary().rate()));
    }
  }
}
