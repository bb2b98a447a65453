package io.artifactserver.storage.postgres;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.artifactserver.core.digest.DigestAlgorithm;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.util.FileSystemUtils;
import org.tukaani.xz.XZInputStream;

/** The server as a process: killed, orphaned, restarted and ended. */
class EmbeddedPostgresProcessTest extends EmbeddedPostgresFixture {
  @Test
  void isClosedWhenItsLastProcessHasEnded() throws Exception {
    // ClusterProcesses tells a process of the cluster by its name and its folder.
    Path program = Files.createDirectory(folder.resolve("programs")).resolve("postgres");
    Files.copy(Path.of("/bin/sleep"), program, StandardCopyOption.COPY_ATTRIBUTES);
    Process last;
    try (EmbeddedPostgres _ = EmbeddedPostgres.start(folder, 20)) {
      last =
          new ProcessBuilder(program.toString(), "5")
              .directory(folder.resolve("postgres").toFile())
              .start();
      assertThat(servers()).contains(last.pid());
    }
    assertThat(servers()).isEmpty();
    // Java learns of an end a moment later than the system. A process that has ended has no program
    // any more, even if nobody has asked how it ended.
    assertThat(Files.exists(Path.of("/proc", Long.toString(last.pid()), "exe"))).isFalse();
  }

  @Test
  void stopsTheServerOfAKilledProcess() throws Exception {
    Process program = startProgram(List.of(), classPath(), folder);
    String url = awaitReady(program);
    String password = Files.readString(folder.resolve("postgres-secret")).strip();
    try (Connection connection = DriverManager.getConnection(url, "artifact_server", password);
        Statement statement = connection.createStatement()) {
      statement.execute("create table kept as select 42 as answer");
    }
    long orphan = postmaster();
    program.destroyForcibly().waitFor();
    assertThat(servers()).contains(orphan);

    try (EmbeddedPostgres postgres = EmbeddedPostgres.start(folder, 20);
        Connection connection = connect(postgres)) {
      assertThat(query(connection, "select answer from kept")).isEqualTo("42");
      assertThat(postmaster()).isNotEqualTo(orphan);
      assertThat(servers()).doesNotContain(orphan).contains(postmaster());
    }
    assertThat(servers()).isEmpty();
  }

  @Test
  void leavesAForeignProcessAloneThatHasTheRecordedNumber() throws Exception {
    EmbeddedPostgres.start(folder, 20).close();
    Process foreign = new ProcessBuilder("sleep", "600").start();
    try {
      Files.writeString(
          folder.resolve("postgres/postmaster.pid"),
          "%d%n%s%n1700000000%n5432%n%n127.0.0.1%n%n"
              .formatted(foreign.pid(), folder.resolve("postgres")));
      try (EmbeddedPostgres postgres = EmbeddedPostgres.start(folder, 20);
          Connection connection = connect(postgres)) {
        assertThat(query(connection, "select 1")).isEqualTo("1");
        assertThat(postmaster()).isNotEqualTo(foreign.pid());
      }
      assertThat(foreign.isAlive()).isTrue();
    } finally {
      foreign.destroyForcibly().waitFor();
    }
  }

  @Test
  void startsAServerAgainThatHasDied() throws Exception {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.start(folder, 20)) {
      execute(postgres, "create table kept as select 42 as answer");
      for (int death = 0; death < 2; death++) {
        ProcessHandle.of(postmaster()).orElseThrow().destroyForcibly();
        eventually("it is noticed", () -> !postgres.isRunning());
        eventually("it runs again", postgres::isRunning);
        // On the same port.
        try (Connection connection = connect(postgres)) {
          assertThat(query(connection, "select answer from kept")).isEqualTo("42");
        }
      }
    }
  }

  @Test
  void recoversFromAPowerCut() throws Exception {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.start(folder, 20)) {
      execute(postgres, "create table kept as select 42 as answer");
      ProcessHandle server = ProcessHandle.of(postmaster()).orElseThrow();
      server.destroyForcibly();
      server.onExit().get(60, TimeUnit.SECONDS);
    }
    try (EmbeddedPostgres postgres = EmbeddedPostgres.start(folder, 20);
        Connection connection = connect(postgres)) {
      assertThat(query(connection, "select answer from kept")).isEqualTo("42");
    }
  }

  @Test
  void runsOutsideTheProcessGroupOfItsStarter() throws Exception {
    try (EmbeddedPostgres _ = EmbeddedPostgres.start(folder, 20)) {
      // proc(5), /proc/pid/stat: after the name in parentheses come state, ppid, pgrp, session.
      String stat = Files.readString(Path.of("/proc", Long.toString(postmaster()), "stat"));
      List<String> fields = List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
      assertThat(fields.get(2)).isEqualTo(Long.toString(postmaster()));
    }
  }

  @Test
  void endsInOrderWithItsStarter() throws Exception {
    Process program = startProgram(List.of(), classPath(), folder);
    awaitReady(program);
    program.getOutputStream().close();
    assertThat(program.waitFor()).isZero();
    assertThat(servers()).isEmpty();
    assertThat(folder.resolve("postgres/postmaster.pid")).doesNotExist();
  }

  @Test
  void runsAsAnOrdinaryUser() throws Exception {
    assumeTrue(
        Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
        "every other test here runs as an ordinary user already");
    // The user may read neither root's home nor this folder, so it gets a class path of its own.
    Path data = Files.createDirectory(folder.resolve("data"));
    Files.setAttribute(data, "unix:uid", 65534);
    Files.setAttribute(data, "unix:gid", 65534);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));

    Process program =
        startProgram(
            List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
            readableClassPath(),
            data);
    String url = awaitReady(program);
    String password = Files.readString(data.resolve("postgres-secret")).strip();
    try (Connection connection = DriverManager.getConnection(url, "artifact_server", password)) {
      assertThat(query(connection, "show fsync")).isEqualTo("on");
    }
    assertThat(Files.getAttribute(data.resolve("postgres"), "unix:uid")).isEqualTo(65534);
    program.getOutputStream().close();
    assertThat(program.waitFor()).isZero();
  }

  private static Process startProgram(List<String> prefix, String classPath, Path data)
      throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", classPath, EmbeddedPostgresProgram.class.getName()));
    command.add(data.toString());
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static String awaitReady(Process program) throws IOException {
    BufferedReader reader = program.inputReader(UTF_8);
    List<String> lines = new ArrayList<>();
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      if (line.startsWith(EmbeddedPostgresProgram.READY)) {
        return line.substring(EmbeddedPostgresProgram.READY.length());
      }
      lines.add(line);
    }
    throw new AssertionError("The program ended: " + lines);
  }

  private static String classPath() {
    return System.getProperty("java.class.path");
  }

  /** The files that the program needs, copied to where everybody may read them. */
  private String readableClassPath() throws Exception {
    Set<Path> sources = new LinkedHashSet<>();
    for (Class<?> type :
        List.of(
            EmbeddedPostgres.class,
            EmbeddedPostgresProgram.class,
            DigestAlgorithm.class,
            TarArchiveInputStream.class,
            XZInputStream.class,
            Class.forName("org.apache.commons.io.IOUtils"),
            Class.forName("org.apache.commons.lang3.StringUtils"),
            LoggerFactory.class,
            FileSystemUtils.class,
            org.postgresql.Driver.class)) {
      sources.add(Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()));
    }
    for (URL url :
        Collections.list(getClass().getClassLoader().getResources("postgres-linux-x86_64.txz"))) {
      sources.add(archive(url));
    }
    for (URL url :
        Collections.list(getClass().getClassLoader().getResources("postgres-linux-arm_64.txz"))) {
      sources.add(archive(url));
    }
    Path target = Files.createDirectory(folder.resolve("classpath"));
    List<String> copies = new ArrayList<>();
    for (Path source : sources) {
      Path copy = target.resolve(copies.size() + "-" + source.getFileName());
      copyReadable(source, copy);
      copies.add(copy.toString());
    }
    return String.join(":", copies);
  }

  private static Path archive(URL url) {
    String text = url.getPath();
    return Path.of(URI.create(text.substring(0, text.indexOf('!'))));
  }

  private static void copyReadable(Path source, Path target) throws IOException {
    try (Stream<Path> paths = Files.walk(source)) {
      for (Path path : paths.toList()) {
        Path copy = target.resolve(source.relativize(path).toString());
        Files.copy(path, path.equals(source) ? target : copy);
        Files.setPosixFilePermissions(
            path.equals(source) ? target : copy, PosixFilePermissions.fromString("rwxr-xr-x"));
      }
    }
  }

  private long postmaster() throws IOException {
    return new ClusterProcesses(folder.toRealPath().resolve("postgres")).recorded().orElseThrow();
  }
}
