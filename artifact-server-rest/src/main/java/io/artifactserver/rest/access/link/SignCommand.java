package io.artifactserver.rest.access.link;

import io.artifactserver.core.access.LinkKey;
import io.artifactserver.core.access.LinkKeys;
import io.artifactserver.core.access.LinkTerms;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.command.Command;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Signs links with the keys of the data folder, without a server, and changes the keys; a running
 * server follows within seconds. Never prints a key. Used once, by one thread.
 */
@CommandLine.Command(
    name = "sign",
    mixinStandardHelpOptions = true,
    description = "Print a link that downloads one artifact without credentials.",
    footer = "%nA time is 90s, 15m, 12h or 7d from now, or 2030-01-31T12:00:00Z.")
public final class SignCommand implements Command {
  private static final int FAILED = 1;

  private final InstantSource clock;

  @Spec private CommandSpec spec;

  @Option(
      names = "--artifact-server.data-dir",
      paramLabel = "FOLDER",
      defaultValue = "./data",
      description = "the server's data folder; the server may be running (default: ./data)")
  private Path dataFolder = Path.of("data");

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "REPOSITORY",
      description = "name of the repository")
  private @Nullable String repository;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "PATH",
      description = "path of the artifact")
  private @Nullable String path;

  @Option(names = "--expires", paramLabel = "TIME", description = "when the link ends")
  private @Nullable String expires;

  @Option(
      names = "--not-before",
      paramLabel = "TIME",
      description = "when the link begins; at once if left out")
  private @Nullable String notBefore;

  @Option(
      names = "--method",
      paramLabel = "METHOD",
      defaultValue = "GET",
      description = "GET, which allows HEAD too, or HEAD (default: GET)")
  private LinkTerms.Method method = LinkTerms.Method.GET;

  @Option(
      names = "--rate",
      paramLabel = "BYTES",
      defaultValue = "0",
      description = "bytes per second; no limit if left out")
  private long rate;

  @Option(
      names = "--device",
      paramLabel = "NAME",
      defaultValue = "",
      description = "whom the link is for")
  private String device = "";

  @Option(
      names = "--list",
      description = "list the keys by id and time of creation, without the keys themselves")
  private boolean list;

  @Option(names = "--rotate", description = "add a key, which signs from now on")
  private boolean rotate;

  @Option(
      names = "--revoke",
      paramLabel = "ID",
      description = "remove a key, and end every link that it signed")
  private @Nullable String revoke;

  /** For {@link java.util.ServiceLoader}. */
  public SignCommand() {
    this(InstantSource.system());
  }

  SignCommand(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public Integer call() throws IOException {
    LinkKeyFile file = new LinkKeyFile(dataFolder);
    Instant now = clock.instant();
    PrintWriter output = spec.commandLine().getOut();
    if (list) {
      print(file.read(), output);
    } else if (rotate) {
      LinkKeys keys = file.change(before -> before.rotated(now));
      output.println(
          "Key %s signs from now on. Links of the others stay good; --revoke=ID ends them."
              .formatted(keys.signing().id()));
    } else if (revoke != null) {
      return revoke(revoke, file, now);
    } else {
      output.println(Links.url(terms(now), file.read()));
    }
    return 0;
  }

  private int revoke(String id, LinkKeyFile file, Instant now) throws IOException {
    if (file.read().key(id).isEmpty()) {
      spec.commandLine().getErr().println("There is no key \"" + id + "\"; see --list");
      return FAILED;
    }
    file.change(keys -> keys.without(id, now));
    spec.commandLine()
        .getOut()
        .println("Removed key " + id + ". A running server refuses its links within seconds.");
    return 0;
  }

  private LinkTerms terms(Instant now) {
    if (repository == null || path == null || expires == null) {
      throw misused("name a repository, a path and --expires");
    }
    try {
      LinkTerms terms =
          new LinkTerms(
              new ArtifactId(repository, path),
              method,
              Expiry.end(expires, now).getEpochSecond(),
              notBefore == null ? 0 : Expiry.begin(notBefore, now).getEpochSecond(),
              rate,
              device);
      if (terms.expires() <= now.getEpochSecond()) {
        throw misused("the link would have expired already");
      }
      return terms;
    } catch (IllegalArgumentException e) {
      throw misused(String.valueOf(e.getMessage()));
    }
  }

  private ParameterException misused(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private static void print(LinkKeys keys, PrintWriter output) {
    output.println("id        created               signs");
    for (LinkKey key : keys.keys()) {
      output.println(
          "%s  %s  %s"
              .formatted(
                  key.id(), key.created(), key.id().equals(keys.signing().id()) ? "yes" : ""));
    }
  }
}
