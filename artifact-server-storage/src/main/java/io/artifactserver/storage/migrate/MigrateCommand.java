package io.artifactserver.storage.migrate;

import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.command.Command;
import io.artifactserver.core.migrate.BlobMigration;
import io.artifactserver.core.migrate.MigrationResult;
import io.artifactserver.storage.backend.InstallationBound;
import io.artifactserver.storage.file.FileBlobStore;
import io.artifactserver.storage.folder.DataFolder;
import io.artifactserver.storage.folder.DataFolderException;
import io.artifactserver.storage.folder.DataFolderProperties;
import io.artifactserver.storage.mapped.MappedFiles;
import io.artifactserver.storage.postgres.DatabaseProperties;
import io.artifactserver.storage.postgres.DatabaseServer;
import io.artifactserver.storage.postgres.DatabaseStartException;
import io.artifactserver.storage.postgres.EmbeddedPostgres;
import io.artifactserver.storage.postgres.RunningPostgres;
import io.artifactserver.storage.s3.S3StartException;
import io.artifactserver.storage.s3.S3StorageAutoConfiguration;
import io.artifactserver.storage.window.WindowAutoConfiguration;
import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
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

/**
 * Copies all blobs to another backend while a server goes on with the first. Reads the server's own
 * settings. Immutable, thread-safe.
 */
public final class MigrateCommand implements Command {
  private static final String FROM = "--from=";
  private static final String TO = "--to=";
  private static final String PARALLEL = "--parallel=";
  private static final String VERIFY = "--verify";
  private static final String FILE = "file";
  private static final String S3 = "s3";
  private static final Set<String> BACKENDS = Set.of(FILE, S3);
  private static final int DEFAULT_PARALLEL = 4;
  private static final int MAX_PARALLEL = 64;
  private static final int CONNECTIONS = 20;
  private static final int FAILED = 1;
  private static final int MISUSED = 2;
  private static final String HELP =
      """
      ./artifact-server migrate --from file --to s3    copy every blob to the bucket
      ./artifact-server migrate --from s3 --to file    and back

      The server may run meanwhile. What is there already is not copied again, so a run that was
      stopped goes on where it was. To move: run it while the server serves, stop the server, run it
      again for what came in meanwhile, and start the server with the other backend.

        --parallel 4    blobs at a time, 1 to 64
        --verify        read what is there already, too, and compare its digest

      and the server's own options, such as
        --artifact-server.data-dir=./data
        --artifact-server.storage.s3.bucket=NAME
      """;

  /** For {@link java.util.ServiceLoader}. */
  public MigrateCommand() {}

  @Override
  public String name() {
    return "migrate";
  }

  @Override
  public int run(List<String> arguments, PrintStream output, PrintStream errors) {
    List<String> settings = new ArrayList<>();
    Optional<String> from = Optional.empty();
    Optional<String> to = Optional.empty();
    int parallel = DEFAULT_PARALLEL;
    boolean verify = false;
    for (String argument : joined(arguments)) {
      if (argument.startsWith(FROM)) {
        from = Optional.of(argument.substring(FROM.length()));
      } else if (argument.startsWith(TO)) {
        to = Optional.of(argument.substring(TO.length()));
      } else if (argument.matches(PARALLEL + "\\d{1,3}")) {
        parallel = Integer.parseInt(argument.substring(PARALLEL.length()));
      } else if (argument.equals(VERIFY)) {
        verify = true;
      } else if (argument.matches("--[a-z][^=]*\\..*=.*")) {
        settings.add(argument);
      } else {
        if (!argument.equals("help") && !argument.equals("--help")) {
          errors.println("artifact-server migrate: unknown option " + argument);
        }
        errors.print(HELP);
        return MISUSED;
      }
    }
    if (!BACKENDS.contains(from.orElse(""))
        || !BACKENDS.contains(to.orElse(""))
        || from.equals(to)) {
      errors.println("artifact-server migrate: name two backends, file and s3");
      errors.print(HELP);
      return MISUSED;
    }
    if (parallel < 1 || parallel > MAX_PARALLEL) {
      errors.println("artifact-server migrate: --parallel is 1 to " + MAX_PARALLEL);
      return MISUSED;
    }
    try (Resources resources = new Resources(settings)) {
      MigrationResult result =
          migrate(resources, from.get(), to.get(), parallel, verify, output, errors);
      report(result, to.get(), output);
      return result.isComplete() ? 0 : FAILED;
    } catch (MigrationFailedException
        | S3StartException
        | DataFolderException
        | DatabaseStartException
        | StorageException e) {
      errors.println("artifact-server migrate: " + e.getMessage());
    } catch (BeanCreationException e) {
      Throwable cause = e.getMostSpecificCause();
      errors.println("artifact-server migrate: " + cause.getMessage());
    } catch (SQLException | IOException e) {
      errors.println("artifact-server migrate: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      errors.println("artifact-server migrate: interrupted; run it again to go on");
    }
    return FAILED;
  }

  /** {@code --from file} as {@code --from=file}. */
  private static List<String> joined(List<String> arguments) {
    List<String> joined = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      boolean takesValue = Set.of(FROM, TO, PARALLEL).contains(argument + '=');
      if (takesValue && i + 1 < arguments.size()) {
        i++;
        joined.add(argument + '=' + arguments.get(i));
      } else {
        joined.add(argument);
      }
    }
    return joined;
  }

  private static MigrationResult migrate(
      Resources resources,
      String from,
      String to,
      int parallel,
      boolean verify,
      PrintStream output,
      PrintStream errors)
      throws IOException, SQLException, InterruptedException {
    CatalogDigests catalog = resources.catalog();
    BlobStore source = resources.store(from, catalog);
    BlobStore target = resources.store(to, catalog);
    try (ProgressPrinter progress = new ProgressPrinter(output, errors, isTerminal())) {
      return new BlobMigration(source, target, catalog, progress).run(parallel, verify);
    }
  }

  private static boolean isTerminal() {
    return Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent();
  }

  private static void report(MigrationResult result, String to, PrintStream output) {
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
            : "Not complete. Repair or delete what failed, and run this again.");
  }

  /** What is open while the command runs; closed in reverse. */
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

    CatalogDigests catalog() throws IOException, SQLException {
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

    BlobStore store(String backend, CatalogDigests catalog) throws StorageException, SQLException {
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
      } catch (DataFolderException e) {
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
      // What goes wrong is told once, by this command.
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
