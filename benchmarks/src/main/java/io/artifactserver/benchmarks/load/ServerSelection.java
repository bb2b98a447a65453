package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.ServerDescription;
import io.artifactserver.benchmarks.load.Scenario.Door;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** Which servers the load harness measures. */
final class ServerSelection {
  @Option(
      names = "--against",
      split = ",",
      description =
          "Peers to start from their Debian packages: nginx, caddy, apache. Default: none.")
  private List<String> against = List.of();

  @Option(
      names = "--ours",
      split = ",",
      defaultValue = "plain",
      description =
          "Our servers to start: plain, encrypted, watched (with 50 open pages of the console), or NAME with --ours-args or --ours-launcher. Empty for none. Default: plain.")
  private List<String> ours = List.of();

  @Option(
      names = "--ours-args",
      paramLabel = "NAME=PROPERTIES",
      description =
          "Properties for the command line of one of --ours, separated by spaces. Names that end in \"encrypted\" have encrypted repositories.")
  private Map<String, String> oursArgs = new LinkedHashMap<>();

  @Option(
      names = "--ours-launcher",
      paramLabel = "NAME=LAUNCHER",
      description =
          "The launcher of one of --ours, such as an earlier commit's: both are then measured in the same rounds.")
  private Map<String, Path> oursLaunchers = new LinkedHashMap<>();

  @Option(
      names = "--url",
      paramLabel = "NAME=URL",
      description = "A running server, with the address of the file there. May be repeated.")
  private Map<String, URI> urls = new LinkedHashMap<>();

  @Option(
      names = "--token",
      paramLabel = "NAME=TOKEN",
      description =
          "Token for a server of --url, sent as Bearer; or with its scheme: \"TargetToken TOKEN\".")
  private Map<String, String> tokens = new LinkedHashMap<>();

  @Option(
      names = "--device-field",
      paramLabel = "NAME=FIELD",
      description =
          "Field in which each connection to a server of --url names a device of its own, such as RAUC-Serial; those of wrk and h2load name one together.")
  private Map<String, String> deviceFields = new LinkedHashMap<>();

  @Option(
      names = "--pid",
      paramLabel = "NAME=PID",
      description = "Process of a server of --url, for its processor time and memory.")
  private Map<String, Long> pids = new LinkedHashMap<>();

  @Option(
      names = "--launcher",
      defaultValue = "./artifact-server",
      description = "The launcher of artifact-server. Default: ${DEFAULT-VALUE}.")
  private Path launcher = Path.of("./artifact-server");

  /** Whether there is a server to start, which reads the file from its folder. */
  boolean needsFile() {
    return !against.isEmpty() || !ours.stream().allMatch(String::isEmpty);
  }

  /** Starts them, and adds each to {@code servers} at once. */
  void start(List<Server> servers, Site site, PrintWriter progress) {
    for (String name : against) {
      progress.println("Starting " + name);
      servers.addAll(Peers.start(name, site));
    }
    for (String name : ours) {
      if (!name.isEmpty()) {
        progress.println("Starting artifact-server, " + name + ", and uploading the file");
        List<String> properties =
            oursArgs.containsKey(name)
                ? List.of(oursArgs.get(name).strip().split("\\s+"))
                : List.of();
        Path its = oursLaunchers.getOrDefault(name, launcher);
        servers.add(OurServer.start(name, properties, its, commit(its), site));
      }
    }
    urls.forEach((name, url) -> {
      Target target =
          new Target(
              url,
              authorization(tokens.getOrDefault(name, "")),
              deviceFields.getOrDefault(name, ""));
      servers.add(
          new Server(
              new ServerDescription(name, name, true, "", url.toString()),
              Map.of(Door.OPEN, target, Door.TOKEN, target, Door.HTTP2, target),
              pids.containsKey(name) ? ServerProbe.of(pids.get(name)) : ServerProbe.UNKNOWN,
              () -> {}));
    });
  }

  private static String authorization(String token) {
    return token.isEmpty() || token.contains(" ") ? token : "Bearer " + token;
  }

  /** The commit of our sources; empty if unknown. */
  String commit() {
    return commit(launcher);
  }

  private static String commit(Path launcher) {
    Path home = launcher.toAbsolutePath().normalize().getParent();
    if (home == null || !Files.exists(home.resolve(".git"))) {
      return "";
    }
    return Program.output(
        List.of("git", "-C", home.toString(), "describe", "--always", "--dirty", "--abbrev=12"));
  }
}
