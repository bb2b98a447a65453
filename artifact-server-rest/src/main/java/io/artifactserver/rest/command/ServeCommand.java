package io.artifactserver.rest.command;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Unmatched;

/** Has the server's place in the help; the server itself is started before picocli is asked. */
@CommandLine.Command(
    name = ServeCommand.NAME,
    mixinStandardHelpOptions = true,
    description = "Runs the server until it is stopped (the default).",
    customSynopsis = "artifact-server [serve] [--property=value ...]",
    footer = {
      "%nCommon properties; docs/configuration.md lists all of them:",
      "  --server.port=8080                  where to listen",
      "  --artifact-server.data-dir=./data   where everything is kept"
    })
final class ServeCommand implements Callable<Integer> {
  static final String NAME = "serve";

  @Unmatched private List<String> properties = new ArrayList<>();

  @Override
  public Integer call() {
    throw new IllegalStateException("The server is not started as a command: " + properties);
  }
}
