package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.ServerDescription;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * nginx, Caddy or Apache from its Debian package, with a configuration written by the harness. All
 * of them: no access log, no limit to the requests of a connection, keep-alive of 300 s, room for
 * 10,000 connections, as many workers as the machine has cores where that can be said, and defaults
 * for the rest.
 */
final class Peer implements Server {
  /** What {@code --against} knows. */
  static final List<String> NAMES = List.of("nginx", "caddy", "apache");

  private static final Duration START = Duration.ofSeconds(30);

  private final ServerDescription description;
  private final Program program;
  private final Target http1;
  private final Target http2;

  private Peer(ServerDescription description, Program program, Target http1, Target http2) {
    this.description = description;
    this.program = program;
    this.http1 = http1;
    this.http2 = http2;
  }

  /** nginx's settings for sending files. Which is best depends on the workload, so all are run. */
  enum Sending {
    NOPUSH_ON("nginx nopush-on", "sendfile on;  tcp_nopush on;"),
    NOPUSH_OFF("nginx nopush-off", "sendfile on;  tcp_nopush off;"),
    NO_SENDFILE("nginx no-sendfile", "sendfile off;");

    private final String label;
    private final String directives;

    Sending(String label, String directives) {
      this.label = label;
      this.directives = directives;
    }
  }

  /**
   * Starts those of a name, and waits until they listen.
   *
   * @throws UsageException if the package is missing
   */
  static List<Peer> start(String name, Site site) {
    site.checkReadable();
    return switch (name) {
      case "nginx" ->
          List.of(Sending.values()).stream().map(sending -> nginx(sending, site)).toList();
      case "caddy" -> List.of(caddy(site));
      case "apache" -> List.of(apache(site));
      default -> throw new UsageException("--against knows %s, not \"%s\"".formatted(NAMES, name));
    };
  }

  private static Peer nginx(Sending sending, Site site) {
    Path executable = Program.find("nginx", "nginx");
    int http1 = Program.freePort();
    int http2 = site.tls() ? http1 : Program.freePort();
    String listen =
        site.certificate()
            .map(files ->
                """
                listen 127.0.0.1:%d ssl http2 reuseport;
                    ssl_certificate %s;
                    ssl_certificate_key %s;
                    ssl_protocols TLSv1.2 TLSv1.3;
                    ssl_session_cache shared:tls:10m;\
                """
                    .formatted(http1, files.certificate(), files.key()))
            .orElse(
                """
                listen 127.0.0.1:%d reuseport;
                    listen 127.0.0.1:%d http2 reuseport;\
                """
                    .formatted(http1, http2));
    String label = sending.label.replace(' ', '-');
    Path temporary = directory(site.folder().resolve(label));
    // 64k chunks: with the default of 8k, this nginx takes many large streams for a flood and
    // drops the connection.
    String configuration =
        """
        daemon off;
        worker_processes %d;
        worker_rlimit_nofile 20000;
        pid %s/pid;
        error_log %s/error.log;
        events { worker_connections 16384; }
        http {
          access_log off;
          default_type application/octet-stream;
          keepalive_requests 1000000000;
          keepalive_timeout 300s;
          http2_chunk_size 64k;
          http2_max_concurrent_streams 256;
          client_body_temp_path %s/body;
          proxy_temp_path %s/proxy;
          fastcgi_temp_path %s/fastcgi;
          uwsgi_temp_path %s/uwsgi;
          scgi_temp_path %s/scgi;
          %s
          root %s;
          server {
            %s
          }
        }
        """
            .formatted(
                site.cores(),
                temporary,
                temporary,
                temporary,
                temporary,
                temporary,
                temporary,
                temporary,
                sending.directives,
                site.www(),
                listen);
    Path file = site.write(label + ".conf", configuration);
    return start(
        sending.label,
        "nginx",
        Program.output(List.of(executable.toString(), "-v")),
        configuration,
        List.of(executable.toString(), "-e", temporary + "/error.log", "-c", file.toString()),
        Map.of(),
        site,
        http1,
        http2);
  }

  private static Peer caddy(Site site) {
    Path executable = Program.find("caddy", "caddy");
    int port = Program.freePort();
    String configuration =
        """
        {
          admin off
          auto_https off
          servers {
            protocols h1 h2 h2c
            timeouts {
              idle 300s
            }
          }
        }
        %s://127.0.0.1:%d {
          %s
          root * %s
          file_server
        }
        """
            .formatted(
                site.scheme(),
                port,
                site.certificate()
                    .map(files -> "tls %s %s".formatted(files.certificate(), files.key()))
                    .orElse(""),
                site.www());
    Path file = site.write("Caddyfile", configuration);
    String home = site.folder().resolve("caddy").toString();
    return start(
        "caddy",
        "caddy",
        "Caddy " + Program.output(List.of(executable.toString(), "version")),
        configuration,
        List.of(
            executable.toString(), "run", "--config", file.toString(), "--adapter", "caddyfile"),
        Map.of("HOME", home, "XDG_CONFIG_HOME", home, "XDG_DATA_HOME", home),
        site,
        port,
        port);
  }

  private static Peer apache(Site site) {
    Path executable = Program.find("apache2", "apache2");
    int port = Program.freePort();
    Path own = directory(site.folder().resolve("apache"));
    String modules = "/usr/lib/apache2/modules";
    String tls =
        site.certificate()
            .map(files ->
                """
                LoadModule socache_shmcb_module %s/mod_socache_shmcb.so
                LoadModule ssl_module %s/mod_ssl.so
                SSLSessionCache shmcb:%s/tls(512000)
                SSLEngine on
                SSLProtocol -all +TLSv1.2 +TLSv1.3
                SSLCertificateFile %s
                SSLCertificateKeyFile %s
                Protocols h2 http/1.1
                """
                    .formatted(modules, modules, own, files.certificate(), files.key()))
            .orElse("Protocols h2c http/1.1\n");
    // 256 threads; each child takes ThreadsPerChild + AsyncRequestWorkerFactor x idle threads
    // connections.
    String configuration =
        """
        ServerRoot %s
        ServerName localhost
        PidFile %s/pid
        DefaultRuntimeDir %s
        ErrorLog %s/error.log
        LogLevel crit
        Listen 127.0.0.1:%d
        ListenBacklog 4096
        LoadModule mpm_event_module %s/mod_mpm_event.so
        LoadModule authz_core_module %s/mod_authz_core.so
        LoadModule http2_module %s/mod_http2.so
        %s
        StartServers 4
        ServerLimit 4
        ThreadsPerChild 64
        ThreadLimit 64
        MaxRequestWorkers 256
        MinSpareThreads 256
        MaxSpareThreads 256
        AsyncRequestWorkerFactor 64
        MaxConnectionsPerChild 0
        EnableSendfile On
        EnableMMAP On
        KeepAlive On
        KeepAliveTimeout 300
        MaxKeepAliveRequests 0
        Timeout 300
        H2MaxSessionStreams 256
        DocumentRoot %s
        <Directory %s>
          Require all granted
        </Directory>
        %s\
        """
            .formatted(
                own,
                own,
                own,
                own,
                port,
                modules,
                modules,
                modules,
                Site.isRoot() ? "User www-data\nGroup www-data" : "",
                site.www(),
                site.www(),
                tls);
    Path file = site.write("apache.conf", configuration);
    return start(
        "apache",
        "apache",
        Program.output(List.of(executable.toString(), "-v")).replace("Server version: ", ""),
        configuration,
        List.of(executable.toString(), "-f", file.toString(), "-DFOREGROUND"),
        Map.of(),
        site,
        port,
        port);
  }

  private static Peer start(
      String name,
      String family,
      String version,
      String configuration,
      List<String> command,
      Map<String, String> environment,
      Site site,
      int http1,
      int http2) {
    Path log = site.folder().resolve(name.replace(' ', '-') + ".log");
    Program program = Program.start(name, command, environment, log);
    try {
      program.awaitPort(http1, START);
    } catch (RuntimeException e) {
      program.close();
      throw e;
    }
    return new Peer(
        new ServerDescription(
            name,
            family,
            false,
            version,
            configuration.replace(site.folder().toString(), "FOLDER")),
        program,
        target(site, http1),
        target(site, http2));
  }

  private static Target target(Site site, int port) {
    return new Target(
        URI.create(
            "%s://127.0.0.1:%d/%s".formatted(site.scheme(), port, site.file().getFileName())),
        "");
  }

  private static Path directory(Path path) {
    try {
      return Files.createDirectories(path);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot create " + path, e);
    }
  }

  @Override
  public ServerDescription description() {
    return description;
  }

  @Override
  public Optional<Target> target(Scenario.Door door) {
    return switch (door) {
      case PACED -> Optional.empty();
      case HTTP2 -> Optional.of(http2);
      case OPEN, TOKEN -> Optional.of(http1);
    };
  }

  @Override
  public ServerProbe probe() {
    return ServerProbe.of(program.pid());
  }

  @Override
  public void close() {
    program.close();
  }
}
