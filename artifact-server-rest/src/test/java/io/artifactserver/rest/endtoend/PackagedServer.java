package io.artifactserver.rest.endtoend;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.artifactserver.core.testserver.FolderTemplate;
import io.artifactserver.core.testserver.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/**
 * The packaged jar as its own process on a data folder, started, stopped and killed as an operator
 * or a crash would. Used by one thread.
 */
final class PackagedServer implements RunningServer, AutoCloseable {
  private static final long START_SECONDS = 240;

  private static final String AGENT = "-javaagent:";
  private static final String OWN_DATABASE = "--artifact-server.database.url=";

  /** PostgreSQL's, in a data folder. */
  static final String PROGRAMS = "postgres-binaries";

  /** Kept, for whoever wants to know why a test failed. */
  private static final Path LOGS = Path.of("target", "server-logs").toAbsolutePath();

  static final Path LAUNCHER = Path.of("src", "main", "launcher").toAbsolutePath();

  static final List<String> JVM =
      List.of(
          Path.of(System.getProperty("java.home"), "bin", "java").toString(),
          "-Xmx256m",
          "-XX:+UseSerialGC",
          "--enable-native-access=ALL-UNNAMED");

  /** For servers whose speed is judged. */
  static final String COMPILED_WELL = "-XX:TieredStopAtLevel=4";

  /**
   * For servers that have much to encrypt or decrypt: C1 encrypts 10 MB a second. C2 for the rest
   * as well takes 7 s of processor time during a start, and is late for most tests.
   */
  static final String CIPHERS_COMPILED_WELL =
      "-XX:CompilerDirectivesFile="
          + Path.of("src", "test", "resources", "compile-ciphers-well.json").toAbsolutePath();

  /** Most servers here answer a few requests: C2 would take a third of their processor time. */
  private static final String COMPILED_QUICKLY = "-XX:TieredStopAtLevel=1";

  /** For a server whose port is open before Java runs, as the launcher does it. */
  static final String EARLY_PORT = "--early-port";

  /** With a number, how many files the server may open. */
  static final String OPEN_FILES = "--nofile=";

  private final Path dataFolder;
  private final Path log;
  private final int port;
  private final int healthPort;
  private final List<String> arguments;
  private Process process;
  private @Nullable TlsProxy proxy;

  private PackagedServer(Path dataFolder, int port, int healthPort, List<String> arguments)
      throws IOException {
    this.dataFolder = dataFolder;
    this.log = Files.createTempFile(Files.createDirectories(LOGS), "server-", ".log");
    ServerLogs.watch(log);
    this.port = port;
    this.healthPort = healthPort;
    this.arguments = List.copyOf(arguments);
    this.process = launch();
  }

  /**
   * Starts a server on the folder and waits until it is healthy. A folder that does not exist is
   * made as a server leaves it that was started once and stopped, which saves seconds: all those
   * folders are one installation, with one operator token and one key ring.
   */
  static PackagedServer start(Path dataFolder, String... arguments)
      throws IOException, InterruptedException {
    prepare(dataFolder, arguments);
    return startOnNothing(dataFolder, arguments);
  }

  /** The same, of a server that makes an installation of its own in the folder. */
  static PackagedServer startNew(Path dataFolder, String... arguments)
      throws IOException, InterruptedException {
    copyPrograms(dataFolder);
    return startOnNothing(dataFolder, arguments);
  }

  /** The same, of a server that has to wait for another one. */
  static PackagedServer startWithoutWaiting(Path dataFolder, String... arguments)
      throws IOException, InterruptedException {
    prepare(dataFolder, arguments);
    int port = Ports.reserve();
    return new PackagedServer(dataFolder, port, port, List.of(arguments));
  }

  /** The same, of a server that unpacks PostgreSQL's programs too. */
  static PackagedServer startOnNothing(Path dataFolder, String... arguments)
      throws IOException, InterruptedException {
    int port = Ports.reserve();
    PackagedServer server = new PackagedServer(dataFolder, port, port, List.of(arguments));
    server.awaitHealthy();
    return server;
  }

  /** The same, for a server whose port speaks TLS: another port redirects, and tells of health. */
  static PackagedServer startWithTls(Path dataFolder, String... arguments)
      throws IOException, InterruptedException {
    prepare(dataFolder, arguments);
    int healthPort = Ports.reserve();
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--artifact-server.tls.redirect-port=" + healthPort);
    PackagedServer server = new PackagedServer(dataFolder, Ports.reserve(), healthPort, all);
    server.awaitHealthy();
    return server;
  }

  int port() {
    return port;
  }

  long pid() {
    return process.pid();
  }

  Path dataFolder() {
    return dataFolder;
  }

  /** The files of uploads that are not complete. */
  Set<String> unfinishedFiles() throws IOException {
    try (Stream<Path> files = Files.list(dataFolder.resolve("uploads"))) {
      return files.map(Path::toString).collect(Collectors.toSet());
    }
  }

  String log() throws IOException {
    return Files.readString(log);
  }

  @Override
  public String operatorToken() throws IOException {
    return Files.readString(dataFolder.resolve("operator-token")).strip();
  }

  @Override
  public URI uri(String pathAndQuery) {
    String scheme = port == healthPort ? "http" : "https";
    return URI.create(scheme + "://127.0.0.1:" + port + pathAndQuery);
  }

  /** A client that speaks HTTP/2 to this server, which has no TLS; the caller closes it. */
  HttpClient http2(HttpClient.Builder builder) {
    return new ProxiedClient(builder, proxy());
  }

  private synchronized TlsProxy proxy() {
    TlsProxy known = proxy;
    if (known == null) {
      try {
        known = TlsProxy.before(port);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      proxy = known;
    }
    return known;
  }

  /** On the port that speaks plain HTTP, if TLS has the other. */
  URI healthUri(String pathAndQuery) {
    return URI.create("http://127.0.0.1:" + healthPort + pathAndQuery);
  }

  /** Asks it to stop, as docker stop does, and does not wait. */
  void signal() {
    process.destroy();
  }

  Process process() {
    return process;
  }

  /** Stops it as Ctrl-C and docker stop do. */
  void stop() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      throw new IllegalStateException("The server did not stop within a minute of SIGTERM");
    }
  }

  /** Kills it as a crash does. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Starts it again, on the same folder and port. */
  void restart() throws IOException, InterruptedException {
    process = launch();
    awaitHealthy();
  }

  @Override
  public void close() {
    if (proxy != null) {
      proxy.close();
    }
    try {
      if (process.isAlive()) {
        stop();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** PostgreSQL's, which a server would unpack for seconds into a new data folder. */
  private static void copyPrograms(Path dataFolder) throws IOException {
    UnpackedServer.once().programs().linkTo(dataFolder.resolve(PROGRAMS));
  }

  private static void prepare(Path dataFolder, String... arguments)
      throws IOException, InterruptedException {
    if (Stream.of(arguments).noneMatch(argument -> argument.startsWith(OWN_DATABASE))) {
      copyInstallation(dataFolder);
    }
    copyPrograms(dataFolder);
  }

  private static synchronized void copyInstallation(Path dataFolder)
      throws IOException, InterruptedException {
    FolderTemplate installation = UnpackedServer.once().installation();
    if (!installation.exists()) {
      Path scratch = Files.createTempDirectory("installation");
      Path data = scratch.resolve("data");
      try (PackagedServer first = startNew(data)) {
        first.stop();
      }
      FileSystemUtils.deleteRecursively(data.resolve(PROGRAMS));
      // A server with a bucket has none.
      FileSystemUtils.deleteRecursively(data.resolve("blobs"));
      installation.keep(data);
      FileSystemUtils.deleteRecursively(scratch);
    }
    installation.copyTo(dataFolder);
  }

  private static boolean isOfJava(String argument) {
    return argument.startsWith("-X") || argument.startsWith("-D");
  }

  private static boolean isOfProgram(String argument) {
    return !isOfJava(argument) && !argument.startsWith(OPEN_FILES) && !argument.equals(EARLY_PORT);
  }

  /**
   * The packaged program, its two outputs as one, in a Java that starts as quickly as it can.
   *
   * @param arguments of the program, and among them options of Java ({@code -X}, {@code -D}) and
   *     how many files it may open ({@link #OPEN_FILES})
   */
  static ProcessBuilder program(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    arguments.stream()
        .filter(argument -> argument.startsWith(OPEN_FILES))
        .forEach(limit -> command.addAll(List.of("prlimit", limit)));
    command.addAll(JVM);
    if (arguments.contains(CIPHERS_COMPILED_WELL)) {
      command.addAll(List.of(COMPILED_WELL, "-XX:+UnlockDiagnosticVMOptions"));
    } else {
      command.add(COMPILED_QUICKLY);
    }
    // The last of several options of a kind is in force.
    arguments.stream().filter(PackagedServer::isOfJava).forEach(command::add);
    UnpackedServer unpacked = UnpackedServer.once();
    unpacked.cache().ifPresent(cache -> command.add("-XX:AOTCache=" + cache));
    command.addAll(List.of("-Xlog:aot*=error", "-Xlog:cds*=error"));
    command.addAll(List.of("-jar", unpacked.jar().toString()));
    arguments.stream().filter(PackagedServer::isOfProgram).forEach(command::add);
    return new ProcessBuilder(command).redirectErrorStream(true);
  }

  private Process launch() throws IOException {
    List<String> all =
        new ArrayList<>(
            List.of("--server.port=" + port, "--artifact-server.data-dir=" + dataFolder));
    all.addAll(arguments);
    ProcessBuilder builder =
        program(all).redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    if (arguments.contains(EARLY_PORT)) {
      builder
          .command()
          .addAll(0, List.of(LAUNCHER.resolve("open-port").toString(), Integer.toString(port)));
    }
    // Tests count blobs, files and connections; those of derived forms say that they want them.
    builder.environment().put("ARTIFACTSERVER_DERIVE_ENABLED", "false");
    // Off by default; what is proved over HTTP/1.1 is proved over HTTP/2 in the clear as well.
    builder.environment().put("ARTIFACTSERVER_HTTP2_CLEARTEXT", "true");
    // ServerLogs looks for faults in them.
    builder.environment().put("ARTIFACTSERVER_LOG_EVERYLINE", "true");
    return builder.start();
  }

  void awaitHealthy() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest health = HttpRequest.newBuilder(healthUri("/actuator/health")).build();
      while (System.nanoTime() < deadline) {
        if (!process.isAlive()) {
          throw new IllegalStateException("The server ended:\n" + log());
        }
        try {
          if (client.send(health, HttpResponse.BodyHandlers.ofString()).statusCode() == 200) {
            UnpackedServer.once().programs().keep(dataFolder.resolve(PROGRAMS));
            loadAgents();
            return;
          }
        } catch (IOException e) {
          // Not listening yet.
        }
        process.waitFor(100, TimeUnit.MILLISECONDS);
      }
    }
    throw new IllegalStateException("The server is not healthy:\n" + log());
  }

  /**
   * The agent that makes the threads of the tests late (soak) makes those of a running server late
   * too.
   */
  private void loadAgents() {
    for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (argument.startsWith(AGENT)) {
        String[] jarAndOptions = argument.substring(AGENT.length()).split("=", 2);
        try {
          VirtualMachine server = VirtualMachine.attach(Long.toString(process.pid()));
          server.loadAgent(jarAndOptions[0], jarAndOptions[1]);
          server.detach();
        } catch (IOException
            | AttachNotSupportedException
            | AgentLoadException
            | AgentInitializationException e) {
          throw new IllegalStateException("The server cannot load " + argument, e);
        }
      }
    }
  }
}
