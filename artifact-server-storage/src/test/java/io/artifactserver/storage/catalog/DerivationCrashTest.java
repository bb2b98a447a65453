package io.artifactserver.storage.catalog;

import static io.artifactserver.storage.catalog.DerivingInstallation.FORMS;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.derive.ArtifactDerivation;
import io.artifactserver.core.derive.Derived;
import io.artifactserver.core.derive.DerivedRegister;
import io.artifactserver.core.retire.BlobSweeper;
import io.artifactserver.core.retire.BlobSweeper.Swept;
import io.artifactserver.storage.postgres.TestDatabase;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The job that derives, ended at each call that changes the store or the database. Visible forms
 * are whole, the next run completes, and a sweep finds the rest.
 */
class DerivationCrashTest {
  /** An upload, a write, a commit and a row for each form at least. */
  private static final int LEAST_STEPS = 12;

  private static CatalogApplication application;

  private DerivingInstallation installation;

  /** How a run ends. */
  enum Ending {
    /** Nothing happens any more, not even what a {@code finally} does. */
    KILLED,

    /** The call does what it is to do, and fails; the process lives on. */
    FAILED,

    /** Somebody wants the thread to stop. */
    INTERRUPTED
  }

  @BeforeAll
  static void start() {
    application = new CatalogApplication(TestDatabase.create());
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @BeforeEach
  void open(@TempDir Path folder) throws Exception {
    installation = new DerivingInstallation(application, folder);
  }

  @AfterEach
  void close() {
    installation.close();
  }

  @ParameterizedTest
  @CsvSource({
    "KILLED, false",
    "KILLED, true",
    "FAILED, false",
    "FAILED, true",
    "INTERRUPTED, false",
    "INTERRUPTED, true"
  })
  void theNextRunGoesOn(Ending ending, boolean encrypted) throws Exception {
    BlobRef blob = installation.upload(installation.stores().of(encrypted)).blob();
    ArtifactDerivation healthy = installation.derivation();
    healthy.run();
    Map<String, byte[]> expected = installation.forms(blob);
    assertThat(expected).hasSize(FORMS);
    int steps = 0;
    boolean isWhole = false;
    while (!isWhole) {
      healthy.rebuild(blob);
      assertThat(installation.register.of(blob)).isEmpty();
      Life life = new Life(steps, ending);
      run(life);
      isWhole = !life.isOver;
      String when = "%s at step %d".formatted(ending, steps);
      Map<String, byte[]> visible = installation.forms(blob);
      visible.forEach(
          (name, bytes) -> assertThat(bytes).as(name + when).isEqualTo(expected.get(name)));
      healthy.run();
      Map<String, byte[]> afterwards = installation.forms(blob);
      assertThat(afterwards).as(when).hasSize(FORMS);
      afterwards.forEach(
          (name, bytes) -> assertThat(bytes).as(name + when).isEqualTo(expected.get(name)));
      requireNothingLeftOver(blob, encrypted, when);
      steps++;
    }
    assertThat(steps).isGreaterThan(LEAST_STEPS);
  }

  private void run(Life life) {
    try {
      installation
          .derivation(
              installation.stores(
                  life.of(BlobStore.class, installation.files),
                  life.of(DataKeyStore.class, installation.dataKeys)),
              life.of(DerivedRegister.class, installation.register))
          .run();
    } catch (StorageException | CatalogUnavailableException | Killed e) {
      assertThat(life.isOver).as("ended before its end: %s", e).isTrue();
    } finally {
      Thread.interrupted();
    }
  }

  private void requireNothingLeftOver(BlobRef blob, boolean encrypted, String when)
      throws StorageException {
    BlobSweeper sweeper =
        new BlobSweeper(
            installation.blobs,
            installation.files,
            installation.dataKeys,
            Duration.ZERO,
            InstantSource.system(),
            Set::of);
    Instant nextStart = Instant.now().plusSeconds(60);
    sweeper.sweepAtStart(nextStart);
    List<String> known = new ArrayList<>(List.of(blob.key()));
    installation.register.of(blob).forEach(each -> known.add(((Derived.Stored) each).blob().key()));
    assertThat(installation.keys()).as(when).containsExactlyInAnyOrderElementsOf(known);
    assertThat(sweeper.sweepAtStart(nextStart)).as(when).isEqualTo(new Swept(0, 0, 0));
    assertThat(known.stream().filter(key -> installation.dataKeys.find(key).isPresent()))
        .as(when)
        .hasSize(encrypted ? known.size() : 0);
  }

  /** No code catches it. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** A process that ends at one of its calls. Used by one thread. */
  private static final class Life {
    /** Between two of them, calls only read. */
    private static final Set<String> STEPS =
        Set.of("missing", "begin", "write", "commit", "put", "add");

    private final int last;
    private final Ending ending;
    private int steps;
    private boolean isOver;

    /**
     * @param last step, counted from 0
     */
    Life(int last, Ending ending) {
      this.last = last;
      this.ending = ending;
    }

    /** The same as the process sees it. */
    <T> T of(Class<T> type, T real) {
      return type.cast(
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (_, method, arguments) -> call(real, method, arguments)));
    }

    private @Nullable Object call(Object real, Method method, Object @Nullable [] arguments)
        throws Throwable {
      if (isOver && ending == Ending.KILLED) {
        if (method.getName().equals("close")) {
          return null;
        }
        throw new Killed();
      }
      boolean isLast = STEPS.contains(method.getName()) && steps++ == last;
      isOver |= isLast;
      if (isLast && ending == Ending.KILLED) {
        throw new Killed();
      }
      if (isLast && ending == Ending.INTERRUPTED) {
        Thread.currentThread().interrupt();
      }
      Object result = Calls.invoke(real, method, arguments);
      if (isLast && ending == Ending.FAILED) {
        throw real instanceof DerivedRegister || real instanceof DataKeyStore
            ? new CatalogUnavailableException("told to fail")
            : new StorageException.StorageUnavailable("file", "told to fail", null);
      }
      return switch (result) {
        case Blob blob -> of(Blob.class, blob);
        case BlobUpload upload -> of(BlobUpload.class, upload);
        case RangeReader reader -> of(RangeReader.class, reader);
        case Object other -> other;
        case null -> null;
      };
    }
  }
}
