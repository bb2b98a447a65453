package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServerLogsTest {
  private static final String TIME = "2026-11-27T17:09:09.929Z  ";
  private static final String JETTY =
      " 9968 --- [artifact-server] [      upload-27] o.e.jetty.ee11.servlet.ServletChannel    : ";

  @Test
  void findsAStackBehindAnEmptyLine() {
    String log =
        TIME
            + "WARN"
            + JETTY
            + "/api\n\njava.lang.IllegalStateException: x\n\tat a.B.c(B.java:1)\n\n"
            + TIME
            + "INFO"
            + JETTY
            + "more\n";
    assertThat(ServerLogs.faults(log))
        .singleElement()
        .asString()
        .endsWith("/api\njava.lang.IllegalStateException: x\n\tat a.B.c(B.java:1)");
  }

  @Test
  void findsAnExceptionWithoutAStack() {
    String line = TIME + "WARN" + JETTY + "handleException /a java.io.IOException: Broken pipe";
    assertThat(ServerLogs.faults(line + "\n")).containsExactly(line);
  }

  @Test
  void findsWhatTheAgentReports() {
    assertThat(ServerLogs.faults("JETTY CAUGHT: in x: y\n\tat a.B.c(B.java:1)\n")).hasSize(1);
    assertThat(ServerLogs.faults("BUFFER FAULT: x\n")).hasSize(1);
  }

  @Test
  void leavesTheRestAlone() {
    String ours = " 9968 --- [artifact-server] [main] i.a.rest.app.Xyz : ";
    assertThat(
            ServerLogs.faults(
                TIME
                    + "WARN"
                    + ours
                    + "x\n\njava.io.IOException: y\n\tat a.B.c(B.java:1)\n"
                    + TIME
                    + "WARN"
                    + JETTY
                    + "Slow start\n"
                    + TIME
                    + "INFO"
                    + JETTY
                    + "java.io.IOException\n"))
        .isEmpty();
  }
}
