package io.artifactserver.rest.command;

import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program itself: nothing but the parent of its commands. */
@CommandLine.Command(
    name = "artifact-server",
    mixinStandardHelpOptions = true,
    versionProvider = ArtifactServerCommand.Version.class,
    description = "Delivers firmware to devices over HTTP byte ranges.",
    footer = {
      "%nWithout a command it serves: artifact-server --server.port=8080",
      "docs/configuration.md lists the properties."
    })
final class ArtifactServerCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "no command is named");
  }

  /** The version in the manifest of the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = ArtifactServerCommand.class.getPackage().getImplementationVersion();
      return new String[] {
        "artifact-server " + Objects.requireNonNullElse(version, "(not packaged)")
      };
    }
  }
}
