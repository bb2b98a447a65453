package io.artifactserver.rest.console;

import io.artifactserver.rest.command.doctor.DoctorCommand;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Hidden;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The command {@code doctor} on this machine, for those who have no shell on it. Thread-safe. */
@Controller
@Hidden
public final class DoctorPage {
  private final Templates templates;
  private final JsonMapper mapper;
  private final String dataFolder;

  /** It measures the disk, which two at a time would spoil. */
  private final Semaphore turn = new Semaphore(1);

  DoctorPage(
      Templates templates,
      JsonMapper mapper,
      @Value("${artifact-server.data-dir}") String dataFolder) {
    this.templates = templates;
    this.mapper = mapper;
    this.dataFolder = dataFolder;
  }

  /**
   * Shows what should be changed on this machine.
   *
   * @param run whether to look; it takes seconds
   */
  @GetMapping("/console/doctor")
  ResponseEntity<byte[]> show(@RequestParam(defaultValue = "false") boolean run) {
    return templates.page(
        HttpStatus.OK, "doctor", "Doctor", Map.of("findings", run ? findings() : List.of()));
  }

  private List<Finding> findings() {
    if (!turn.tryAcquire()) {
      throw ProblemException.passing(Problems.busy());
    }
    try {
      StringWriter report = new StringWriter();
      int _ =
          new CommandLine(new DoctorCommand())
              .setOut(new PrintWriter(report))
              .execute("--json", "--artifact-server.data-dir=" + dataFolder);
      return mapper
          .readTree(report.toString())
          .path("checks")
          .valueStream()
          .map(Finding::of)
          .toList();
    } finally {
      turn.release();
    }
  }

  /**
   * A line of the report.
   *
   * @param verdict {@code ok}, {@code warn} or {@code fail}
   * @param fix commands that change it; empty if nothing is to be done
   */
  public record Finding(String name, String value, String verdict, String meaning, String fix) {
    static Finding of(JsonNode check) {
      return new Finding(
          check.path("name").asString(""),
          check.path("value").asString(""),
          check.path("verdict").asString(""),
          check.path("meaning").asString(""),
          check.path("fix").asString(""));
    }
  }
}
