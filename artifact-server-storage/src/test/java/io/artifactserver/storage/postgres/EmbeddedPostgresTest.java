package io.artifactserver.storage.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.util.FileSystemUtils;

/** A cluster keeps its data, and does not start with what is damaged or lost. */
class EmbeddedPostgresTest extends EmbeddedPostgresFixture {
  /** PostgreSQL's own messages for it are many, and none says what may be deleted. */
  @Test
  void fullDiskIsNamedWithWhatMayBeDeleted() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk.toString()) == 0,
        "SKIPPED: a full disk, because this user may not mount a tmpfs");
    try {
      assertThatThrownBy(() -> EmbeddedPostgres.start(disk, 20))
          .isInstanceOf(DatabaseStartException.class)
          .hasMessageContaining("The disk of " + disk + " is full")
          .hasMessageContaining("needs 32 MiB")
          .hasMessageContaining("uploads and postgres-log");
    } finally {
      assertThat(run("umount", disk.toString())).isZero();
    }
  }

  private static int run(String... command) throws Exception {
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }

  @Test
  void commitsDurablyListensOnLoopbackOnlyAndWantsThePassword() throws Exception {
    // The rest is about files that it makes itself.
    FileSystemUtils.deleteRecursively(folder.resolve("postgres-binaries"));
    try (EmbeddedPostgres postgres = EmbeddedPostgres.start(folder, 20)) {
      try (Connection connection = connect(postgres)) {
        assertThat(query(connection, "show fsync")).isEqualTo("on");
        assertThat(query(connection, "show synchronous_commit")).isEqualTo("on");
        assertThat(query(connection, "show full_page_writes")).isEqualTo("on");
        assertThat(query(connection, "show data_checksums")).isEqualTo("on");
        assertThat(query(connection, "show server_encoding")).isEqualTo("UTF8");
        assertThat(query(connection, "show listen_addresses")).isEqualTo("127.0.0.1");
        assertThat(query(connection, "show unix_socket_directories")).isEmpty();
        assertThat(query(connection, "show shared_buffers")).isEqualTo("32MB");
        assertThat(
                query(
                    connection,
                    "select string_agg(distinct auth_method, ',') from pg_hba_file_rules"))
            .isEqualTo("scram-sha-256");
      }
      assertThatThrownBy(
              () -> DriverManager.getConnection(postgres.jdbcUrl(), postgres.username(), "wrong"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
      assertThatThrownBy(() ->
              DriverManager.getConnection(postgres.jdbcUrl() + "?user=" + postgres.username()))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("password");
      for (InetAddress address : otherAddresses()) {
        assertThatThrownBy(() -> connect(address, port(postgres))).isInstanceOf(IOException.class);
      }
      assertThat(postgres.toString()).doesNotContain(postgres.password());
      assertThat(postgres.password()).hasSize(64);
      assertThat(mode("postgres-secret")).isEqualTo("rw-------");
      assertThat(mode("postgres")).isEqualTo("rwx------");
      assertThat(mode("postgres-log")).isEqualTo("rwx------");
      assertThat(mode("postgres-binaries")).isEqualTo("rwx------");
    }
  }

  @Test
  void keepsDataAndPasswordOverARestart() throws Exception {
    String password;
    try (EmbeddedPostgres postgres = EmbeddedPostgres.start(folder, 20)) {
      password = postgres.password();
      execute(postgres, "create table kept as select 42 as answer");
    }
    assertThat(servers()).isEmpty();
    assertThat(folder.resolve("postgres/postmaster.pid")).doesNotExist();
    try (EmbeddedPostgres postgres = EmbeddedPostgres.start(folder, 20);
        Connection connection = connect(postgres)) {
      assertThat(postgres.password()).isEqualTo(password);
      assertThat(query(connection, "select answer from kept")).isEqualTo("42");
    }
  }

  @Test
  void refusesAClusterOfAnotherRelease() throws Exception {
    EmbeddedPostgres.start(folder, 20).close();
    Files.writeString(folder.resolve("postgres/PG_VERSION"), "17\n");
    assertThatThrownBy(() -> EmbeddedPostgres.start(folder, 20))
        .isInstanceOf(DatabaseStartException.class)
        .hasMessageContaining("was made by PostgreSQL 17, and this is 18.");
  }

  @Test
  void saysWhatIsWrongWhenTheServerDoesNotStart() throws Exception {
    EmbeddedPostgres.start(folder, 20).close();
    Files.writeString(folder.resolve("postgres/postgresql.auto.conf"), "no_such_setting = 1\n");
    assertThatThrownBy(() -> EmbeddedPostgres.start(folder, 20))
        .isInstanceOf(DatabaseStartException.class)
        .hasMessageContaining("no_such_setting");
    Files.writeString(folder.resolve("postgres/postgresql.auto.conf"), "");
    EmbeddedPostgres.start(folder, 20).close();
  }

  @Test
  void refusesAClusterWhosePasswordIsLost() throws Exception {
    EmbeddedPostgres.start(folder, 20).close();
    Files.delete(folder.resolve("postgres-secret"));
    assertThatThrownBy(() -> EmbeddedPostgres.start(folder, 20))
        .isInstanceOf(DatabaseStartException.class)
        .hasMessageContaining("postgres-secret is missing");
  }

  @Test
  void unpacksDamagedProgramsAnew() throws Exception {
    EmbeddedPostgres.start(folder, 20).close();
    try (Stream<Path> files = Files.walk(folder.resolve("postgres-binaries"))) {
      Path program = files.filter(path -> path.endsWith("bin/postgres")).findFirst().orElseThrow();
      Files.write(program, new byte[0]);
    }
    EmbeddedPostgres.start(folder, 20).close();
  }

  private String mode(String name) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(name)));
  }

  private static int port(EmbeddedPostgres postgres) {
    return URI.create(postgres.jdbcUrl().substring("jdbc:".length())).getPort();
  }

  private static List<InetAddress> otherAddresses() throws IOException {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
        .toList();
  }
}
