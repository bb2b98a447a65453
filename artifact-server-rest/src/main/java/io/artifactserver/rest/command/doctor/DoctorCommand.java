package io.artifactserver.rest.command.doctor;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.command.Command;
import io.artifactserver.rest.command.client.Printable;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Prints what the machine allows the server: network, process, disk, clock; with a judgement, and
 * the command that changes what is too little. Writes a file of 128 MiB without a name to the data
 * folder for a few seconds, and changes nothing. With an address, it asks the server there through
 * its proxies instead. Used once, by one thread.
 */
@CommandLine.Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    description =
        "Checks the limits of this machine, or the way to a server through its proxies, and says"
            + " what to change.",
    footer = "%nThe exit status is 1 if a check fails, and 0 if none does.")
public final class DoctorCommand implements Command {
  private static final int FAILED = 1;
  private static final int MOST_CONNECTIONS = 10_000_000;

  private final Host host;

  @Spec private CommandSpec spec;

  @Option(
      names = "--artifact-server.data-dir",
      paramLabel = "FOLDER",
      defaultValue = "./data",
      description =
          "data folder, whose disk is measured; the server may be running (default: ./data)")
  private Path dataFolder = Path.of("data");

  @Option(
      names = "--artifact-server.hawkbit.artifacts",
      paramLabel = "FOLDER",
      defaultValue = "",
      description = "hawkBit's folder of artifacts, if there is one: can it be read?")
  private String hawkbitFolder = "";

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "10000",
      description = "connections expected at a time (default: 10000)")
  private int connections;

  @Option(names = "--json", description = "for scripts")
  private boolean json;

  @Mixin private PublicUrlOptions publicUrl;

  /** For {@link java.util.ServiceLoader}. */
  public DoctorCommand() {
    this(new Host(Path.of("/")));
  }

  DoctorCommand(Host host) {
    this.host = host;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (connections < 0 || connections > MOST_CONNECTIONS) {
      throw new ParameterException(
          spec.commandLine(), "--connections is 0 to " + MOST_CONNECTIONS + ", not " + connections);
    }
    Optional<ArtifactId> artifact = publicUrl.artifact(spec.commandLine());
    try (PublicServer server = publicUrl.server(spec.commandLine()).orElse(null)) {
      if (server != null) {
        return report(new PublicUrlCheck(server, artifact).findings(), Map.of(), "front.md");
      }
    }
    NetworkCheck network = new NetworkCheck(host, connections);
    return report(ofThisMachine(network), singleStream(network), "networking.md");
  }

  private List<Finding> ofThisMachine(NetworkCheck network) {
    List<Finding> findings = new ArrayList<>(network.findings());
    findings.addAll(new ProcessCheck(host, VirtualMachine.current(), connections).findings());
    findings.addAll(new DataFolderCheck(dataFolder).findings());
    findings.add(TemporaryFolderCheck.current().finding());
    findings.add(new ProxyCheck(dataFolder).finding());
    if (!hawkbitFolder.isEmpty()) {
      findings.add(new HawkbitFolderCheck(Path.of(hawkbitFolder)).finding());
    }
    findings.add(new ClockCheck(Instant.now(), KernelClock.read()).finding());
    return findings;
  }

  /** Prints the findings, and returns the exit status. */
  private int report(List<Finding> findings, Map<String, Object> figures, String page) {
    PrintWriter output = spec.commandLine().getOut();
    Verdict worst =
        findings.stream().map(Finding::verdict).max(Comparator.naturalOrder()).orElseThrow();
    if (json) {
      output.println(json(findings, worst, figures));
    } else {
      print(findings, output, page);
    }
    return worst == Verdict.FAIL ? FAILED : 0;
  }

  private static void print(List<Finding> findings, PrintWriter output, String page) {
    for (Finding finding : findings) {
      output.println(
          "%-4s  %s = %s"
              .formatted(
                  lower(finding.verdict()),
                  finding.name(),
                  // Some of it may come from whatever answers at an address.
                  Printable.of(finding.value())));
      output.println("      " + Printable.of(finding.meaning()));
      if (!finding.fix().isEmpty()) {
        output.println("      $ " + finding.fix());
      }
    }
    long warnings = count(findings, Verdict.WARN);
    long failures = count(findings, Verdict.FAIL);
    output.println();
    output.println(
        "%d checks: %d warn, %d fail. docs/%s explains them."
            .formatted(findings.size(), warnings, failures, page));
  }

  private static String json(List<Finding> findings, Verdict worst, Map<String, Object> figures) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("verdict", worst);
    report.putAll(figures);
    report.put("checks", findings);
    return JsonMapper.shared()
        .writerWithDefaultPrettyPrinter()
        .with(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
        // Some of it may come from whatever answers, and turn the text on a terminal.
        .with(JsonWriteFeature.ESCAPE_NON_ASCII)
        .writeValueAsString(report);
  }

  private static Map<String, Object> singleStream(NetworkCheck network) {
    return Map.of(
        "single_stream",
        Stream.of(NetworkCheck.CONTINENT, NetworkCheck.OCEAN)
            .map(roundTrip -> singleStream(network, roundTrip))
            .flatMap(Optional::stream)
            .toList());
  }

  private static Optional<Map<String, Object>> singleStream(
      NetworkCheck network, Duration roundTrip) {
    return network
        .singleStream(roundTrip)
        .map(rate ->
            Map.of("round_trip_ms", roundTrip.toMillis(), "bytes_per_second", Math.round(rate)));
  }

  private static long count(List<Finding> findings, Verdict verdict) {
    return findings.stream().filter(finding -> finding.verdict() == verdict).count();
  }

  private static String lower(Verdict verdict) {
    return verdict.name().toLowerCase(Locale.ROOT);
  }
}
