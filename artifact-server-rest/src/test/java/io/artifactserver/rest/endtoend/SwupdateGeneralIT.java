package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.program.Programs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * SWUpdate's general server: it polls a channel, installs what the channel points to, and says so.
 * Debian builds SWUpdate without it: the test runs a program {@code swupdate-general}, which {@code
 * .ci/swupdate-general} builds, and is skipped with a message where there is none.
 */
@InTurn(0)
class SwupdateGeneralIT {
  private static final String API = "/api/v1/repositories/boards";

  private final byte[] content = Bytes.random(3_000_000, 499);

  @TempDir private Path folder;

  @Test
  void followsAChannel() throws Exception {
    Programs.assumeInstalled("swupdate-general", "openssl");
    Client client = new Client(folder);
    Path installed = folder.resolve("installed.img");
    byte[] update = SwuArchive.signed(client, folder, content, sha256(content), installed);
    try (PackagedServer server =
            PackagedServer.start(folder.resolve("data"), "--artifact-server.poll.interval=1s");
        Operator operator = new Operator(server)) {
      operator.createRepository("boards", true);
      operator.put("boards", "1.1/fw.swu", update);
      operator.put("boards", "1.2/fw.swu", "no update".getBytes(StandardCharsets.UTF_8));
      operator.json("PUT", API + "/channels/stable", "{\"release\": \"1.1\"}");
      String address = server.uri("/poll/swupdate/boards/stable/fw.swu").toString();
      try (SwupdateAgent _ = agent(client, address, "1.0")) {
        eventuallyPasses(
            "SWUpdate says that it has installed it",
            () -> assertThat(reports(operator, "success")).isPositive());
      }
      assertThat(installed).hasBinaryContent(content);
      assertThat(reports(operator, "started")).isPositive();
      assertThat(operator.get("/api/v1/progress?repository=boards&path=1.1/fw.swu").body())
          .contains("\"4711\"");

      // As after the restart into the new system, which is none here.
      try (SwupdateAgent _ = agent(client, address, "1.1")) {
        eventuallyPasses(
            "SWUpdate asks again and again",
            () ->
                assertThat(
                        operator.metric(
                            "artifact_server_polls_total",
                            "agent=\"swupdate\"",
                            "answer=\"unchanged\""))
                    .isGreaterThan(2));
        operator.json("PUT", API + "/channels/stable", "{\"release\": \"1.2\"}", "If-Match", "*");
        eventuallyPasses(
            "SWUpdate says that it failed",
            () -> assertThat(reports(operator, "fail")).isPositive());
      }
      eventuallyPasses(
          "the failure is the device's last error",
          () ->
              assertThat(operator.get("/api/v1/progress?repository=boards&path=1.2/fw.swu").body())
                  .contains("\"reported\""));
    }
  }

  private static double reports(Operator operator, String event) throws Exception {
    return operator.metric("artifact_server_poll_reports_total", "event=\"" + event + '"');
  }

  private static String sha256(byte[] bytes) {
    DigestAlgorithm algorithm = DigestAlgorithm.SHA_256;
    return Digest.of(algorithm, algorithm.newMessageDigest().digest(bytes)).hex();
  }

  private SwupdateAgent agent(Client client, String address, String release) throws IOException {
    Files.writeString(
        folder.resolve("swupdate.cfg"),
        """
        globals : { };
        suricatta : { server = "general"; };
        gservice : {
          url = "%1$s";
          logurl = "%1$s/log";
          logevent : (
            { event = "started"; format = "started,id"; },
            { event = "success"; format = "success,id"; },
            { event = "fail"; format = "fail,id"; }
          );
        };
        identify : (
          { name = "id"; value = "4711"; },
          { name = "release"; value = "%2$s"; }
        );
        """
            .formatted(address, release));
    return new SwupdateAgent(
        client,
        folder,
        List.of(),
        List.of(
            "swupdate-general",
            "-H",
            "board:1.0",
            "-k",
            "cert.pem",
            "-f",
            "swupdate.cfg",
            "-u",
            "-p 1 -w 1 -r 1"));
  }
}
