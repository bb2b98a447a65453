package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.ServedFile;
import io.artifactserver.benchmarks.results.Machine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command line of the load harness. */
@Command(
    name = "load",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures artifact-server and its peers over real sockets: all servers in every round.",
      "wrk makes the load of range80, ranges128, small and full, and h2load that of h2-ranges128, h2-50 and h2-100; the first answer of each round is compared. The other scenarios compare every byte. Debian has the programs: apt install wrk nghttp2-client",
      "",
      "Exit codes: 0 all requests of artifact-server were answered correctly; 1 some were not; 2 usage; 3 some server sent wrong bytes."
    },
    footer = {
      "",
      "Examples:",
      "  ./artifact-server bench load --scenarios ranges128,rauc,small --against nginx,caddy,apache",
      "  ./artifact-server bench load --ours plain,encrypted --scenarios slow --seconds 20 --rounds 1",
      "  ./artifact-server bench load --ours '' --url mine=http://127.0.0.1:8080/artifacts/r/f --pid mine=4711 --file f"
    })
public final class LoadCommand implements Callable<Integer> {
  private static final int WRONG_BYTES = 3;
  private static final int FAILED = 1;

  /** Some 3,000 chunks. */
  private static final int CHUNKED_LENGTH = 200_000_000;

  @Option(
      names = "--scenarios",
      split = ",",
      description =
          "Which: range80, ranges128, rauc, small, full, resume, h2-ranges128, h2-50, h2-100 (h2 for all three), fresh-1m, fresh-full, fresh-resumed (with --tls; fresh for all three), slow, paced, idle, rollout, chunks. Default: all whose programs are installed.")
  private List<String> scenarios = List.of();

  @Option(
      names = "--rounds",
      defaultValue = "5",
      description = "Measured rounds of each scenario. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--seconds",
      defaultValue = "4",
      description = "Length of a round. Default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Option(
      names = "--warm-up",
      defaultValue = "4",
      description =
          "Seconds of a round before the measured ones. It is repeated while it makes a server faster, by 3 %% and at most 10 times. Default: ${DEFAULT-VALUE}.")
  private double warmUp;

  @Option(
      names = "--quiet",
      defaultValue = "0.1",
      description =
          "A round in which other processes had a greater part of the processors is run again, up to twice; the quietest counts. Default: ${DEFAULT-VALUE}.")
  private double quiet;

  @Option(
      names = "--rate",
      defaultValue = "0",
      description =
          "Requests a second of rauc, all connections together; latencies then count from when a request was due. Default: as many as there can be.")
  private double rate;

  @Option(
      names = "--tls",
      description = "Everything through TLS, with a certificate that openssl makes for the run.")
  private boolean tls;

  @Option(
      names = "--file",
      description =
          "A file of your own to serve, or the file behind --url. Default: random bytes of --file-length.")
  private @Nullable Path file;

  @Option(
      names = "--file-length",
      defaultValue = "800000000",
      description =
          "Length of the file that is made, in bytes. Default: ${DEFAULT-VALUE}; a short file flatters whoever copies through the processor's cache.")
  private long fileLength;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "Of the file's bytes and of all random choices. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--folder",
      defaultValue = "benchmarks/target/load",
      description =
          "For the file, configurations, logs and our servers' data. The file stays there for the next run. Default: ${DEFAULT-VALUE}.")
  private Path folder = Path.of("benchmarks/target/load");

  @Option(
      names = "--results",
      description =
          "Folder for load.json and load.md. Default: one named after the time, below --folder.")
  private @Nullable Path results;

  @Option(
      names = "--client-threads",
      defaultValue = "2",
      description =
          "Threads of wrk and h2load; with one, they hold the fastest servers back. Default: ${DEFAULT-VALUE}.")
  private int clientThreads;

  @Option(
      names = "--stall",
      defaultValue = "10",
      description =
          "Seconds without progress after which a request has failed. Default: ${DEFAULT-VALUE}.")
  private double stall;

  @Option(
      names = "--rauc-devices",
      defaultValue = "10",
      description = "Devices of rauc, with 6 connections each. Default: ${DEFAULT-VALUE}.")
  private int raucDevices;

  @Option(
      names = "--slow-readers",
      defaultValue = "2000",
      description = "Readers of slow and of paced. Default: ${DEFAULT-VALUE}.")
  private int slowReaders;

  @Option(
      names = "--idle-connections",
      defaultValue = "10000",
      description = "Connections of idle. Default: ${DEFAULT-VALUE}.")
  private int idleConnections;

  @Option(
      names = "--rollout-devices",
      defaultValue = "200",
      description = "Devices of rollout. Default: ${DEFAULT-VALUE}.")
  private int rolloutDevices;

  @Option(
      names = "--rollout-ramp",
      defaultValue = "60",
      description = "Seconds within which they start. Default: ${DEFAULT-VALUE}.")
  private double rolloutRamp;

  @Mixin private ServerSelection selection = new ServerSelection();

  private final List<String> arguments;

  private LoadCommand(List<String> arguments) {
    this.arguments = arguments;
  }

  /** Runs the harness and ends the process. */
  public static void main(String[] arguments) {
    System.exit(execute(arguments));
  }

  /** Runs the harness; returns its exit code. */
  static int execute(String... arguments) {
    return new CommandLine(new LoadCommand(List.of(arguments)))
        .setExecutionExceptionHandler((exception, commandLine, parsed) -> {
          if (exception instanceof UsageException) {
            commandLine.getErr().println("load: " + exception.getMessage());
            return CommandLine.ExitCode.USAGE;
          }
          throw exception;
        })
        .execute(arguments);
  }

  @Override
  public Integer call() throws IOException {
    PrintWriter progress = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    Path work = Files.createDirectories(folder.toAbsolutePath().normalize().resolve("work"));
    Path www = Files.createDirectories(work.resolve("www"));
    Optional<ChunkStore> chunks =
        scenarios.isEmpty() || scenarios.contains("chunks")
            ? Optional.of(ChunkStore.make(www, seed, CHUNKED_LENGTH))
            : Optional.empty();
    List<Scenario> chosen = chosen(chunks, progress);
    Content content = content(www, progress);
    Site site =
        new Site(
            work,
            www,
            served(www),
            tls ? Optional.of(SelfSignedCertificate.create(work)) : Optional.empty(),
            chunks,
            chosen.stream().anyMatch(scenario -> scenario.door() == Scenario.Door.PACED),
            Runtime.getRuntime().availableProcessors());
    Instant started = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    List<Server> servers = new ArrayList<>();
    try {
      selection.start(servers, site, progress);
      if (servers.isEmpty()) {
        throw new UsageException("Nothing to measure: say --ours, --against or --url");
      }
      LoadRun run =
          new LoadRun(
              servers,
              content,
              rounds,
              duration(seconds),
              duration(warmUp),
              duration(stall),
              seed,
              clientThreads,
              rate,
              tls,
              quiet,
              progress);
      LoadRun.Outcome outcome = run.run(chosen);
      LoadReport report =
          new LoadReport(
              LoadReport.SCHEMA,
              started.toString(),
              selection.commit(),
              command(),
              Machine.here(),
              new ServedFile(content.length(), file == null ? seed : 0),
              rounds,
              seconds,
              clientThreads,
              tls,
              servers.stream().map(Server::description).toList(),
              outcome.scenarios());
      Path into = results == null ? folder.resolve(timeName(started)) : results;
      ReportFiles.write(report, into);
      progress.printf("%nThe report is in %s%n", into.resolve("load.md"));
      if (outcome.wrongBytes().isPresent()) {
        progress.println("load: " + outcome.wrongBytes().get());
        return WRONG_BYTES;
      }
      if (outcome.oursFailed()) {
        progress.println("load: requests of artifact-server failed; the report says which");
        return FAILED;
      }
      return CommandLine.ExitCode.OK;
    } finally {
      servers.forEach(Server::close);
    }
  }

  private List<Scenario> chosen(Optional<ChunkStore> chunks, PrintWriter progress) {
    Scenarios.Scale scale =
        new Scenarios.Scale(
            raucDevices, slowReaders, idleConnections, rolloutDevices, duration(rolloutRamp));
    List<Scenario> all = Scenarios.all(scale, tls, chunks);
    List<Scenario> chosen = new ArrayList<>();
    for (String name : scenarios) {
      List<Scenario> named =
          all.stream().filter(scenario -> (scenario.name() + "-").startsWith(name + "-")).toList();
      if (named.isEmpty()) {
        throw new UsageException(
            "There is no scenario \"%s\"; there are %s"
                .formatted(name, String.join(", ", all.stream().map(Scenario::name).toList())));
      }
      named.forEach(scenario -> scenario.load().findProgram());
      chosen.addAll(named);
    }
    if (scenarios.isEmpty()) {
      for (Scenario scenario : all) {
        try {
          scenario.load().findProgram();
          chosen.add(scenario);
        } catch (UsageException e) {
          progress.printf("%s is left out: %s%n", scenario.name(), e.getMessage());
        }
      }
    }
    return chosen;
  }

  private Path served(Path www) {
    return www.resolve("file");
  }

  private Content content(Path www, PrintWriter progress) throws IOException {
    Path target = served(www);
    Path own = file;
    if (own != null) {
      if (!Files.isReadable(own)) {
        throw new UsageException("There is no readable file " + own);
      }
      if (selection.needsFile()) {
        Files.copy(own, target, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      }
      return Content.Mapped.of(own);
    }
    progress.printf("The file: %,d bytes in %s%n", fileLength, target);
    Content.Stamped content = Content.Stamped.of(fileLength, seed);
    // This also reads all of it, and so brings it into the page cache.
    content.writeTo(target);
    return content;
  }

  private static Duration duration(double seconds) {
    return Duration.ofMillis(Math.round(seconds * 1000));
  }

  /** The command that repeats the run: the launcher says itself where it is. */
  private String command() {
    List<String> shown = new ArrayList<>(List.of("./artifact-server", "bench", "load"));
    for (int i = 0; i < arguments.size(); i++) {
      if (arguments.get(i).equals("--launcher")) {
        i++;
      } else {
        shown.add(arguments.get(i));
      }
    }
    return String.join(" ", shown);
  }

  private static String timeName(Instant started) {
    return DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC).format(started);
  }
}
