package io.artifactserver.rest.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class JobPagesTest {
  private static final Pattern SCHEDULED =
      Pattern.compile("@Scheduled\\([^;]*?\\)\\s+(?:[a-z]+ )*void (\\w+)\\(\\)");

  @Test
  void thePageKnowsEveryScheduledMethod() throws IOException {
    List<String> scheduled = new ArrayList<>();
    for (String module : List.of("core", "storage", "rest")) {
      Path sources = Path.of("..", "artifact-server-" + module, "src", "main", "java");
      try (Stream<Path> files = Files.walk(sources)) {
        for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
          Matcher method = SCHEDULED.matcher(Files.readString(file));
          while (method.find()) {
            scheduled.add(file.getFileName().toString().replace("java", "") + method.group(1));
          }
        }
      }
    }
    assertThat(
            Stream.concat(
                JobPages.WORKS.stream().map(JobPages.Work::method), JobPages.NO_WORKS.stream()))
        .containsExactlyInAnyOrderElementsOf(scheduled)
        .hasSizeGreaterThan(20);
  }
}
