package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.core.program.Programs;
import io.artifactserver.core.testserver.FaultProxy;
import io.artifactserver.core.testserver.FaultProxy.Fault;
import io.artifactserver.rest.hawkbit.ArtifactFolder;
import io.artifactserver.rest.hawkbit.FakeHawkbit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * SWUpdate's hawkBit client: it polls a stand-in for hawkBit, and downloads from the packaged
 * server. Skipped, with a message, where the program is missing; .ci/run installs it.
 */
class SwupdateIT {
  private static final String REF = "hawkbit.artifact.url.protocols.download-http.ref";
  private static final String PATH =
      "/{tenant}/controller/v1/{controllerId}/softwaremodules/{softwareModuleId}/artifacts/{artifactFileName}";
  private static final int FIRST_CUT = 1_000_000;

  private final byte[] content = Bytes.random(6_000_000, 23);

  @TempDir private Path folder;
  private FakeHawkbit hawkbit;
  private Client client;

  /** Options that make SWUpdate trust another authority. */
  private List<String> trusting = List.of();

  @BeforeEach
  void begin() throws IOException {
    Programs.assumeInstalled("swupdate", "openssl");
    client = new Client(folder);
    hawkbit = new FakeHawkbit();
    hawkbit.device("device", "secret-of-the-device");
    hawkbit.assign("device", "7");
    hawkbit.action("device", "3");
  }

  @AfterEach
  void end() {
    if (hawkbit != null) {
      hawkbit.close();
    }
  }

  @Test
  void installsASignedUpdateOverConnectionsThatBreak() throws Exception {
    Path installed = folder.resolve("installed.img");
    byte[] update = SwuArchive.signed(client, folder, content, sha256(), installed);
    hawkbit.artifact("7", "fw 1.swu", update);
    Path artifacts = Files.createDirectory(folder.resolve("artifactrepo"));
    ArtifactFolder.add(artifacts, "DEFAULT", update);
    try (PackagedServer server =
            PackagedServer.start(
                folder.resolve("data"),
                "--artifact-server.hawkbit.url=" + hawkbit.url(),
                "--artifact-server.hawkbit.artifacts=" + artifacts,
                "--artifact-server.hawkbit.grant-time=1h");
        FaultProxy proxy = FaultProxy.start(server.port())) {
      hawkbit.property(REF, proxy.endpoint() + PATH);
      proxy.plan(1, request -> isGet(request), new Fault.Truncate(FIRST_CUT));
      proxy.plan(1, request -> isGet(request), new Fault.Reset(2_000_000));
      try (SwupdateAgent _ = agent()) {
        awaitFeedback("All Chunks Installed.");
      }
      assertThat(installed).hasBinaryContent(content);
      List<FaultProxy.Request> downloads = proxy.requests("GET");
      assertThat(downloads).hasSizeGreaterThanOrEqualTo(3);
      assertThat(downloads.get(1).field("Range")).contains("bytes=" + FIRST_CUT + '-');
      // A reset may take bytes with it that were under way.
      assertThat(downloads.get(2).field("Range").orElseThrow()).matches("bytes=[1-3]\\d{6}-");
      assertThat(proxy.bodyBytes()).isLessThan(update.length + 2_000_000L);
      assertThat(hawkbit.artifactBytes()).isEqualTo(64);
      assertThat(hawkbit.questions("device")).isEqualTo(1);
    }
    // As after the restart of the device, which is none here.
    try (SwupdateAgent _ = agent("-c", "2")) {
      awaitFeedback("\"finished\": \"success\" }, \"execution\": \"closed\"");
    }
  }

  /** SWUpdate speaks HTTP/2 wherever there is TLS: it has libcurl. */
  @Test
  @Nightly("RealClientsIT has TLS; SWUpdate is tested without it in every build.")
  void installsAnUpdateOverTls() throws Exception {
    Path installed = folder.resolve("installed.img");
    byte[] update = SwuArchive.signed(client, folder, content, sha256(), installed);
    hawkbit.artifact("7", "fw.swu", update);
    Path artifacts = Files.createDirectory(folder.resolve("artifactrepo"));
    ArtifactFolder.add(artifacts, "DEFAULT", update);
    try (Endpoint server =
            Endpoint.start(
                Transport.H2,
                folder.resolve("server"),
                "--artifact-server.hawkbit.url=" + hawkbit.url(),
                "--artifact-server.hawkbit.artifacts=" + artifacts,
                "--artifact-server.hawkbit.grant-time=1h");
        RecordingRelay relay = new RecordingRelay(server)) {
      hawkbit.property(REF, relay.url("") + PATH);
      relay.cutAfter(FIRST_CUT);
      trusting = Client.trusting(server.authorityFile().toString());
      try (SwupdateAgent _ = agent()) {
        awaitFeedback("All Chunks Installed.");
      }
      assertThat(installed).hasBinaryContent(content);
      assertThat(relay.isAllCut()).isTrue();
      // Bytes that were there were not fetched again.
      assertThat(relay.answeredBytes()).isLessThan(update.length + FIRST_CUT);
    }
  }

  /** The failure that docs/operations.md warns of, seen at the agent itself. */
  @Test
  void listOfLinksFailsTheUpdate() throws Exception {
    hawkbit.artifact("7", "fw.swu", content);
    hawkbit.property(
        "hawkbit.artifact.url.protocols.artifact-server.ref", "http://127.0.0.1" + PATH);
    SwuArchive.signed(client, folder, content, sha256(), folder.resolve("installed.img"));
    try (SwupdateAgent _ = agent()) {
      awaitFeedback("No artifact download URL");
      awaitFeedback("\"finished\": \"failure\" }, \"execution\": \"closed\"");
    }
    assertThat(hawkbit.downloads()).isZero();
  }

  private void awaitFeedback(String text) {
    eventuallyPasses(
        "SWUpdate says " + text,
        () -> assertThat(hawkbit.feedback()).anyMatch(said -> said.contains(text)));
  }

  private static boolean isGet(FaultProxy.Request request) {
    return request.method().equals("GET");
  }

  private String sha256() {
    DigestAlgorithm algorithm = DigestAlgorithm.SHA_256;
    return Digest.of(algorithm, algorithm.newMessageDigest().digest(content)).hex();
  }

  private SwupdateAgent agent(String... options) throws IOException {
    List<String> suricatta =
        new ArrayList<>(
            List.of(
                "-t",
                "DEFAULT",
                "-i",
                "device",
                "-u",
                hawkbit.url(),
                "-k",
                "secret-of-the-device",
                "-p",
                "1",
                "-w",
                "1"));
    suricatta.addAll(List.of(options));
    return new SwupdateAgent(
        client,
        folder,
        trusting,
        List.of(
            "swupdate", "-H", "board:1.0", "-k", "cert.pem", "-u", String.join(" ", suricatta)));
  }
}
