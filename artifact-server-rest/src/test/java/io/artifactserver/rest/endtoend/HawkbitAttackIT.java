package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static io.artifactserver.core.waiting.Pacing.pause;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.hawkbit.ArtifactFolder;
import io.artifactserver.rest.hawkbit.FakeHawkbit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Strangers behind a proxy that has a name, so that nobody knows which of its clients they are.
 * hawkBit is asked after the request is read, so that the transport is of no matter: HTTP/1.1.
 */
class HawkbitAttackIT {
  private static final byte[] CONTENT = Bytes.random(1_000, 23);
  private static final int STRANGERS = 400;
  private static final Duration GRANT_TIME = Duration.ofSeconds(1);

  /** A second's questions are 180, and a device waits for a stranger's turn or two. */
  private static final int QUESTIONS_BEFORE = 90;

  private static final String REQUEST =
      "GET /DEFAULT/controller/v1/%s/softwaremodules/7/artifacts/fw.img HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.1\r\nAuthorization: TargetToken %s\r\n\r\n";

  @Test
  void knownDevicesDoNotWaitBehindStrangers(@TempDir Path folder) throws Exception {
    Path files = Files.createDirectory(folder.resolve("hawkbit"));
    try (FakeHawkbit hawkbit = new FakeHawkbit()) {
      hawkbit.artifact("7", "fw.img", CONTENT);
      ArtifactFolder.add(files, "DEFAULT", CONTENT);
      for (int i = 0; i < 10; i++) {
        hawkbit.device("device-" + i, "secret-of-device-" + i);
        hawkbit.assign("device-" + i, "7");
      }
      try (PackagedServer server =
          PackagedServer.start(
              folder.resolve("data"),
              "--artifact-server.hawkbit.url=" + hawkbit.url(),
              "--artifact-server.hawkbit.artifacts=" + files,
              "--artifact-server.hawkbit.grant-time=" + GRANT_TIME.toSeconds() + "s",
              "--artifact-server.connections.trusted-proxies=127.0.0.0/8")) {
        for (int i = 0; i < 10; i++) {
          assertThat(download(server, i)).isEqualTo(200);
        }
        int strangers = 0;
        List<Wire> connections = new ArrayList<>();
        for (int i = 0; i < STRANGERS; i++) {
          connections.add(new Wire(server.port()));
        }
        // Each waits for its answer, and there are as many more.
        for (int round = 0; round < 3; round++) {
          for (Wire each : connections) {
            each.send(REQUEST.formatted("nobody-" + ++strangers, "wrong"));
          }
        }
        int begun = hawkbit.questions();
        eventually("strangers are asked for", () -> hawkbit.questions() > begun + 20);
        AtomicInteger more = new AtomicInteger(strangers);
        // A machine that stands still for half a second needs another try, with as many strangers.
        eventuallyPasses(
            "devices do not wait behind strangers",
            () -> {
              for (Wire each : connections) {
                each.send(REQUEST.formatted("nobody-" + more.incrementAndGet(), "wrong"));
              }
              // The grants of the devices are over.
              pause(GRANT_TIME.plusMillis(100));
              List<Integer> before = new ArrayList<>();
              for (int i = 0; i < 10; i++) {
                int questions = hawkbit.questions();
                assertThat(download(server, i)).isEqualTo(200);
                before.add(hawkbit.questions() - questions);
              }
              System.out.println("  questions while a device waited: " + before);
              assertThat(before).allMatch(count -> count < QUESTIONS_BEFORE);
            });
        for (Wire each : connections) {
          each.close();
        }
      }
    }
  }

  private static int download(PackagedServer server, int device) throws Exception {
    try (Wire wire = new Wire(server.port())) {
      wire.send(REQUEST.formatted("device-" + device, "secret-of-device-" + device));
      return wire.receive(true).status();
    }
  }
}
