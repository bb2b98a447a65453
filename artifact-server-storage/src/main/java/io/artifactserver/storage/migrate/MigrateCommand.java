package io.artifactserver.storage.migrate;

import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.command.Command;
import io.artifactserver.core.migrate.BlobMigration;
import io.artifactserver.core.migrate.MigrationResult;
import io.artifactserver.storage.backend.InstallationBound;
import io.artifactserver.storage.backend.SetupException;
import io.artifactserver.storage.local.file.FileBlobStore;
import io.artifactserver.storage.local.folder.DataFolder;
import io.artifactserver.storage.local.folder.DataFolderProperties;
import io.artifactserver.storage.local.mapped.MappedFiles;
import io.artifactserver.storage.postgres.DatabaseProperties;
import io.artifactserver.storage.postgres.DatabaseServer;
import io.artifactserver.storage.postgres.EmbeddedPostgres;
import io.artifactserver.storage.postgres.RunningPostgres;
import io.artifactserver.storage.remote.s3.S3StorageAutoConfiguration;
import io.artifactserver.storage.remote.window.WindowAutoConfiguration;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/**
 * Copies all blobs to another backend while a server goes on with the first. Reads the server's own
 * settings. Used once, by one thread.
 */
@CommandLine.Command(
    name = "migrate",
    mixinStandardHelpOptions = true,
    description = {
      "Copies every blob to another backend.",
      "The server may run meanwhile. Blobs that are there already are not copied again, so a run that was"
          + " stopped continues where it was. To move: run this while the server runs, stop the"
          + " server, run this again for the blobs that came in meanwhile, and start the server with the other"
          + " backend."
    },
    customSynopsis =
        "artifact-server migrate --from file --to s3 [--parallel N] [--verify] [--property=value ...]",
    footer = {
      "%nIt takes the server's own properties, such as",
      "  --artifact-server.data-dir=./data",
      "  --artifact-server.storage.s3.bucket=NAME"
    })
public final class MigrateCommand implements Command {
  private static final String FILE = "file";
  private static final String S3 = "s3";
  private static final Set<String> BACKENDS = Set.of(FILE, S3);
  private static final int MAX_PARALLEL = 64;
  private static final int CONNECTIONS = 20;
  private static final int FAILED = 1;

  @Spec private CommandSpec spec;

  @Option(
      names = "--from",
      required = true,
      paramLabel = "BACKEND",
      description = "the backend that has the blobs: file or s3")
  private String from = "";

  @Option(
      names = "--to",
      required = true,
      paramLabel = "BACKEND",
      description = "the backend that gets them")
  private String to = "";

  @Option(
      names = "--parallel",
      paramLabel = "N",
      defaultValue = "4",
      description = "blobs at a time, 1 to 64 (default: 4)")
  private int parallel;

  @Option(
      names = "--verify",
      description = "also read the blobs that are there already, and compare their digests")
  private boolean verify;

  @Unmatched private List<String> settings = new ArrayList<>();

  /** For {@link java.util.ServiceLoader}. */
  public MigrateCommand() {}

  @Override
  public Integer call() throws Exception {
    for (String setting : settings) {
      require(setting.matches("--[a-z][^=]*\\..*=.*"), "Unknown option: '" + setting + "'");
    }
    require(
        BACKENDS.contains(from) && BACKENDS.contains(to) && !from.equals(to),
        "name two backends, as in --from file --to s3");
    require(
        parallel >= 1 && parallel <= MAX_PARALLEL, "--parallel is 1 to %d".formatted(MAX_PARALLEL));
    try (Resources resources = new Resources(settings)) {
      MigrationResult result = migrate(resources);
      report(result);
      return result.isComplete() ? 0 : FAILED;
    } catch (BeanCreationException e) {
      Throwable cause = e.getMostSpecificCause();
      throw new MigrationFailedException(Objects.toString(cause.getMessage(), cause.toString()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MigrationFailedException("Interrupted; run it again to go on.", e);
    }
  }

  private void require(boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  private MigrationResult migrate(Resources resources) throws IOException, InterruptedException {
    CatalogDigests catalog = resources.catalog();
    BlobStore source = resources.store(from, catalog);
    BlobStore target = resources.store(to, catalog);
    CommandLine line = spec.commandLine();
    try (ProgressPrinter progress =
        new ProgressPrinter(line.getOut(), line.getErr(), isTerminal())) {
      return new BlobMigration(source, target, catalog, progress).run(parallel, verify);
    }
  }

  private static boolean isTerminal() {
    return Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent();
  }

  private void report(MigrationResult result) {
    PrintWriter output = spec.commandLine().getOut();
    output.println(
        "Copied %d, there already %d, not in the catalog %d, deleted meanwhile %d, failed %d"
            .formatted(
                result.copied(),
                result.present(),
                result.unknown(),
                result.gone(),
                result.failed()));
    output.println(
        result.isComplete()
            ? "If the server ran meanwhile: stop it, run this again, and start it with"
                + " --artifact-server.storage.backend="
                + to
            : "Not complete. Repair or delete the failed blobs, and run this again.");
  }

  /** Resources open while the command runs; closed in reverse. */
  private static final class Resources implements AutoCloseable {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final List<String> settings;
    private final Binder binder;
    private final Path dataFolder;
    private final boolean isServerRunning;

    Resources(List<String> settings) throws IOException {
      this.settings = settings;
      ConfigurableApplicationContext context = context(Settings.class);
      this.binder = Binder.get(context.getEnvironment());
      this.dataFolder =
          Path.of(
              binder
                  .bindOrCreate("artifact-server", Bindable.of(DataFolderProperties.class))
                  .dataDir());
      this.isServerRunning = isHeldByAnother();
    }

    CatalogDigests catalog() throws IOException {
      DatabaseProperties given =
          binder.bindOrCreate("artifact-server.database", Bindable.of(DatabaseProperties.class));
      CatalogDigests catalog;
      if (given.embedded()) {
        DatabaseServer server = embedded();
        catalog = CatalogDigests.connect(server.jdbcUrl(), server.username(), server.password());
      } else {
        catalog = CatalogDigests.connect(given.url(), given.username(), given.password());
      }
      open.push(catalog);
      return catalog;
    }

    BlobStore store(String backend, CatalogDigests catalog) throws StorageException {
      if (backend.equals(FILE)) {
        MappedFiles mappedFiles = new MappedFiles(1, Duration.ZERO);
        open.push(mappedFiles);
        return FileBlobStore.open(dataFolder, mappedFiles);
      }
      BlobStore store =
          context(WindowAutoConfiguration.class, S3StorageAutoConfiguration.class)
              .getBean(BlobStore.class);
      if (store instanceof InstallationBound bound) {
        bound.bind(catalog.installationId());
      }
      return store;
    }

    @Override
    public void close() {
      for (AutoCloseable each : open) {
        try {
          each.close();
        } catch (Exception e) {
          throw new MigrationFailedException("Not everything could be closed: " + e, e);
        }
      }
    }

    private boolean isHeldByAnother() throws IOException {
      if (RunningPostgres.find(dataFolder).isPresent()) {
        return true;
      }
      try {
        open.push(DataFolder.open(dataFolder));
        return false;
      } catch (SetupException e) {
        return true;
      }
    }

    private DatabaseServer embedded() throws IOException {
      if (isServerRunning) {
        return RunningPostgres.find(dataFolder)
            .orElseThrow(() ->
                new MigrationFailedException(
                    "A server has the data folder %s, and its database does not run yet; wait for it, or stop it."
                        .formatted(dataFolder),
                    null));
      }
      EmbeddedPostgres own = EmbeddedPostgres.start(dataFolder, CONNECTIONS);
      open.push(own);
      return own;
    }

    private ConfigurableApplicationContext context(Class<?>... sources) {
      List<String> arguments = new ArrayList<>();
      // Errors are told once, by this command.
      arguments.add("--logging.level.root=off");
      arguments.add("--logging.level.io.artifactserver=off");
      arguments.addAll(settings);
      arguments.add("--artifact-server.storage.backend=" + S3);
      ConfigurableApplicationContext context =
          new SpringApplicationBuilder(sources)
              .web(WebApplicationType.NONE)
              .bannerMode(Banner.Mode.OFF)
              .logStartupInfo(false)
              .registerShutdownHook(false)
              .run(arguments.toArray(String[]::new));
      open.push(context);
      return context;
    }
  }

  /** Nothing but the settings. */
  @Configuration(proxyBeanMethods = false)
  static class Settings {}
}
