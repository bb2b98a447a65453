package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The backup of docs/operations.md, as printed: the folder is lost and comes back. */
class BackupIT {
  private static final Path PAGE = Path.of("..", "docs", "operations.md");

  @TempDir private Path folder;

  @Test
  void whatWasBackedUpIsServedAfterTheFolderWasLost() throws Exception {
    byte[] firmware = Bytes.random(500_000, 1);
    try (PackagedServer server = PackagedServer.start(folder.resolve("data"));
        Operator operator = new Operator(server)) {
      operator.createRepository("plain", true);
      operator.createEncryptedRepository("vault");
      assertThat(operator.put("plain", "firmware", firmware).statusCode()).isEqualTo(201);
      assertThat(operator.put("vault", "firmware", firmware).statusCode()).isEqualTo(201);
      String revoked = operator.json("POST", "/api/v1/tokens", "{\"name\": \"old\"}").body();
      String id = revoked.replaceAll(".*\"id\":\"([^\"]+)\".*", "$1");
      assertThat(operator.delete("/api/v1/tokens/" + id).statusCode()).isEqualTo(204);
      server.stop();
      run("embedded backup");
      assertThat(
              new ProcessBuilder("rm", "-r", folder.resolve("data").toString()).start().waitFor())
          .isZero();
      run("embedded restore");
      server.restart();
      for (String repository : new String[] {"plain", "vault"}) {
        assertThat(operator.downloadAsNobody("/artifacts/" + repository + "/firmware").body())
            .isEqualTo(firmware);
      }
      assertThat(operator.put("vault", "other", Bytes.random(1000, 2)).statusCode()).isEqualTo(201);
      assertThat(operator.get("/api/v1/tokens").body()).doesNotContain(id);
    }
  }

  /** The command of the page between two markers, as whoever reads it would run it. */
  private void run(String name) throws IOException, InterruptedException {
    String page = Files.readString(PAGE);
    int begin = page.indexOf("<!-- %s: begin -->".formatted(name));
    int end = page.indexOf("<!-- %s: end -->".formatted(name));
    assertThat(begin).isPositive();
    String block = page.substring(begin, end);
    String command =
        block.substring(block.indexOf("```bash") + "```bash".length(), block.lastIndexOf("```"));
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-euo", "pipefail", "-c", command)
            .directory(folder.toFile())
            .inheritIO();
    builder.environment().put("DATA", folder.resolve("data").toString());
    assertThat(builder.start().waitFor()).as(command).isZero();
  }
}
