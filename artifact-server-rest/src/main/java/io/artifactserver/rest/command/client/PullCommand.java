package io.artifactserver.rest.command.client;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.command.Command;
import java.nio.file.Path;
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

/** Downloads a file. Used once, by one thread. */
@CommandLine.Command(
    name = PullCommand.NAME,
    mixinStandardHelpOptions = true,
    description = {
      "Download a file, resume a download that broke off, and compare the SHA-256.",
      "",
      "The bytes go to FILE.part until they are right. A file that has them is left alone."
    },
    customSynopsis = "artifact-server pull [OPTIONS] REPOSITORY/PATH [-o FILE] [--seed OLD]",
    footer = {ClientOptions.SETTINGS, ClientOptions.STATUS})
public final class PullCommand implements Command {
  /** The first argument that means this command. */
  public static final String NAME = "pull";

  private final Map<String, String> environment;

  @Spec private CommandSpec spec;

  @Mixin private ClientOptions options;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "where the bytes go (default: the last part of the path)")
  private @Nullable Path output;

  @Option(
      names = "--seed",
      paramLabel = "OLD",
      description = "an older version: only what is not in it is fetched")
  private @Nullable Path seed;

  @Parameters(paramLabel = "REPOSITORY/PATH", description = "the artifact")
  private String artifact = "";

  /** For {@link java.util.ServiceLoader}. */
  public PullCommand() {
    this(System.getenv());
  }

  PullCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws InterruptedException {
    ArtifactId id;
    try {
      id = PushCommand.id(artifact);
    } catch (InvalidNameException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
    Path file = Pull.output(id, Optional.ofNullable(output));
    return ClientRun.run(
        spec,
        options,
        environment,
        (_, remote, console) ->
            console.done(
                new Pull(remote, console, options.parallel(), options.parallel != null)
                    .pull(id, file, Optional.ofNullable(seed))));
  }
}
