package io.artifactserver.rest.doctor;

import io.artifactserver.core.command.Command;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/**
 * Prints what the machine allows the server: network, process, disk, clock; with a judgement, and
 * the command that changes what is too little. Writes a file of 128 MiB without a name to the data
 * folder for a few seconds, and changes nothing. Immutable, thread-safe.
 */
public final class DoctorCommand implements Command {
  private static final int FAILED = 1;
  private static final int MISUSED = 2;
  private static final String DATA_FOLDER = "--artifact-server.data-dir=";
  private static final String CONNECTIONS = "--connections=";
  private static final String JSON = "--json";
  private static final int MOST_CONNECTIONS = 10_000_000;
  private static final int DEFAULT_CONNECTIONS = 10_000;
  private static final String HELP =
      """
      ./artifact-server doctor [options]   what this machine allows, and what to change

      Options:
        --artifact-server.data-dir=./data  whose disk is measured; the server may be running
        --connections=10000                as many as are expected at a time
        --json                             for scripts

      The exit status is 1 if something is a "fail", and 0 if not.
      """;

  private final Host host;
  private final Map<String, String> environment;

  /** For {@link java.util.ServiceLoader}. */
  public DoctorCommand() {
    this(new Host(Path.of("/")), System.getenv());
  }

  DoctorCommand(Host host, Map<String, String> environment) {
    this.host = host;
    this.environment = Map.copyOf(environment);
  }

  @Override
  public String name() {
    return "doctor";
  }

  @Override
  public int run(List<String> arguments, PrintStream output, PrintStream errors) {
    // The variables that Spring Boot reads for the property.
    String dataFolder =
        Stream.of("ARTIFACTSERVER_DATADIR", "ARTIFACTSERVER_DATA_DIR", "ARTIFACT_SERVER_DATA_DIR")
            .map(environment::get)
            .filter(Objects::nonNull)
            .findFirst()
            .orElse("./data");
    int connections = DEFAULT_CONNECTIONS;
    boolean json = false;
    for (String argument : arguments) {
      if (argument.equals("help") || argument.equals("--help")) {
        output.print(HELP);
        return 0;
      } else if (argument.equals(JSON)) {
        json = true;
      } else if (argument.startsWith(DATA_FOLDER)) {
        dataFolder = argument.substring(DATA_FOLDER.length());
      } else if (argument.matches(CONNECTIONS + "\\d{1,8}")
          && Integer.parseInt(argument.substring(CONNECTIONS.length())) <= MOST_CONNECTIONS) {
        connections = Integer.parseInt(argument.substring(CONNECTIONS.length()));
      } else {
        errors.println("artifact-server doctor: unknown option " + argument);
        errors.print(HELP);
        return MISUSED;
      }
    }
    NetworkCheck network = new NetworkCheck(host, connections);
    List<Finding> findings = new ArrayList<>(network.findings());
    findings.addAll(new ProcessCheck(host, VirtualMachine.current(), connections).findings());
    findings.addAll(new DataFolderCheck(Path.of(dataFolder)).findings());
    findings.add(new ClockCheck(Instant.now(), KernelClock.read()).finding());
    Verdict worst =
        findings.stream().map(Finding::verdict).max(Comparator.naturalOrder()).orElseThrow();
    if (json) {
      output.println(json(findings, worst, network));
    } else {
      print(findings, output);
    }
    return worst == Verdict.FAIL ? FAILED : 0;
  }

  private static void print(List<Finding> findings, PrintStream output) {
    for (Finding finding : findings) {
      output.println(
          "%-4s  %s = %s".formatted(lower(finding.verdict()), finding.name(), finding.value()));
      output.println("      " + finding.meaning());
      if (!finding.fix().isEmpty()) {
        output.println("      $ " + finding.fix());
      }
    }
    long warnings = count(findings, Verdict.WARN);
    long failures = count(findings, Verdict.FAIL);
    output.println();
    output.println(
        "%d checks: %d warn, %d fail. docs/networking.md explains them."
            .formatted(findings.size(), warnings, failures));
  }

  private static String json(List<Finding> findings, Verdict worst, NetworkCheck network) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("verdict", lower(worst));
    report.put(
        "single_stream",
        Stream.of(NetworkCheck.CONTINENT, NetworkCheck.OCEAN)
            .map(roundTrip -> singleStream(network, roundTrip))
            .flatMap(Optional::stream)
            .toList());
    report.put("checks", findings.stream().map(DoctorCommand::json).toList());
    return JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(report);
  }

  private static Optional<Map<String, Object>> singleStream(
      NetworkCheck network, Duration roundTrip) {
    return network
        .singleStream(roundTrip)
        .map(rate ->
            Map.of("round_trip_ms", roundTrip.toMillis(), "bytes_per_second", Math.round(rate)));
  }

  private static Map<String, Object> json(Finding finding) {
    Map<String, Object> check = new LinkedHashMap<>();
    check.put("name", finding.name());
    check.put("value", finding.value());
    check.put("verdict", lower(finding.verdict()));
    check.put("meaning", finding.meaning());
    check.put("fix", finding.fix());
    return check;
  }

  private static long count(List<Finding> findings, Verdict verdict) {
    return findings.stream().filter(finding -> finding.verdict() == verdict).count();
  }

  private static String lower(Verdict verdict) {
    return verdict.name().toLowerCase(Locale.ROOT);
  }
}
