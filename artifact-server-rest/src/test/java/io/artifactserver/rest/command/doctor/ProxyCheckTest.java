package io.artifactserver.rest.command.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProxyCheckTest {
  @TempDir private Path folder;

  @Test
  void tellsWhatTheServerHasNoticed() throws IOException {
    assertThat(new ProxyCheck(folder).finding().verdict()).isEqualTo(Verdict.OK);
    Files.writeString(folder.resolve("unnamed-proxies"), "10.0.0.5\n10.0.0.6");
    Finding finding = new ProxyCheck(folder).finding();
    assertThat(finding.verdict()).isEqualTo(Verdict.WARN);
    assertThat(finding.fix())
        .contains("artifact-server.connections.trusted-proxies=10.0.0.5,10.0.0.6");
  }
}
