package io.artifactserver.rest.command.client;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.command.Command;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Uploads files. Used once, by one thread. */
@CommandLine.Command(
    name = PushCommand.NAME,
    mixinStandardHelpOptions = true,
    description = {
      "Upload files, resume uploads that broke off, and compare the SHA-256.",
      "",
      "Several files, or one with a target that ends in a slash, go below it by their names. Bytes"
          + " that are there already are not sent again."
    },
    customSynopsis = "artifact-server push [OPTIONS] FILE... REPOSITORY/PATH",
    footer = {
      "%nAn unfinished upload is remembered below ~/.local/state/artifact-server.",
      ClientOptions.SETTINGS,
      ClientOptions.STATUS
    })
public final class PushCommand implements Command {
  /** The first argument that means this command. */
  public static final String NAME = "push";

  private final Map<String, String> environment;

  @Spec private CommandSpec spec;

  @Mixin private ClientOptions options;

  @Option(
      names = "--media-type",
      paramLabel = "TYPE",
      description = "the artifacts' Content-Type (default: by the name)")
  private @Nullable String mediaType;

  @Parameters(
      arity = "2..*",
      paramLabel = "FILE... REPOSITORY/PATH",
      description = "the files (./-name if one begins with a dash), then where they go")
  private List<String> arguments = List.of();

  /** For {@link java.util.ServiceLoader}. */
  public PushCommand() {
    this(System.getenv());
  }

  PushCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws InterruptedException {
    List<Path> files = arguments.subList(0, arguments.size() - 1).stream().map(Path::of).toList();
    Path states = Settings.folder(environment, "XDG_STATE_HOME", ".local/state").resolve("uploads");
    return ClientRun.run(
        spec,
        options,
        environment,
        (settings, remote, console) -> {
          for (Path file : files) {
            RegularFile.requireSource(file);
          }
          List<ArtifactId> ids = targets(files);
          Push push =
              new Push(
                  remote,
                  new TusUploads(
                      remote, TusUploads.PATIENCE, text -> console.note("warning: " + text)),
                  console,
                  settings.toString(),
                  states,
                  options.parallel(),
                  options.parallel != null,
                  Optional.ofNullable(mediaType));
          for (int i = 0; i < files.size(); i++) {
            console.done(push.push(files.get(i), ids.get(i)));
          }
        });
  }

  private List<ArtifactId> targets(List<Path> files) {
    List<ArtifactId> ids = new ArrayList<>();
    try {
      for (Path file : files) {
        ArtifactId id = target(arguments.getLast(), file, files.size());
        if (ids.contains(id)) {
          throw new ParameterException(
              spec.commandLine(),
              "two of the files would be %s: push them one by one".formatted(id));
        }
        ids.add(id);
      }
    } catch (InvalidNameException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
    return ids;
  }

  /** Where a file goes. */
  static ArtifactId target(String target, Path file, int files) {
    boolean isFolder = target.endsWith("/");
    String path =
        isFolder || files > 1 ? target.replaceAll("/+$", "") + '/' + file.getFileName() : target;
    return id(path);
  }

  /** The artifact that {@code REPOSITORY/PATH} names. */
  static ArtifactId id(String name) {
    int slash = name.indexOf('/');
    if (slash < 0) {
      throw new InvalidNameException(
          "\"%s\" names no artifact: write REPOSITORY/PATH".formatted(name));
    }
    return new ArtifactId(name.substring(0, slash), name.substring(slash + 1));
  }
}
