package io.artifactserver.rest.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.artifactserver.rest.api.artifact.EncryptionDefaults;
import io.artifactserver.rest.api.artifact.UploadProperties;
import io.artifactserver.rest.api.audit.AuditProperties;
import io.artifactserver.rest.api.progress.ProgressProperties;
import io.artifactserver.rest.delivery.DownloadProperties;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.util.unit.DataSize;

/** The records of this room: the defaults, every name, and the bounds. */
class PropertiesTest {
  @Test
  void theKeyRingIsLookedAtNowAndThen() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new EncryptionDefaults(false, Duration.ZERO))
        .withMessageContaining("artifact-server.encryption.check-interval");
  }

  @Test
  void deriveHasBounds() {
    DataSize size = DataSize.ofMegabytes(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new DeriveProperties(true, true, DataSize.ofBytes(0), size, 1))
        .withMessageContaining("artifact-server.derive.min-size");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new DeriveProperties(true, true, size, DataSize.ofGigabytes(65), 1))
        .withMessageContaining("artifact-server.derive.max-size");
    for (double share : new double[] {0, -1, 1.1, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new DeriveProperties(true, true, size, size, share))
          .withMessageContaining("artifact-server.derive.share");
    }
  }

  private static final DataSize ANY_SIZE = DataSize.ofBytes(1);
  private static final Duration ANY_TIME = Duration.ofSeconds(1);

  @Test
  void defaults() {
    assertThat(bind("access", AccessProperties.class, Map.of()))
        .isEqualTo(new AccessProperties(false));
    assertThat(bind("retire", RetireProperties.class, Map.of()))
        .isEqualTo(
            new RetireProperties(
                Duration.ofMinutes(15),
                Duration.ofDays(1),
                Duration.ofMinutes(5),
                Duration.ofHours(1)));
    assertThat(bind("derive", DeriveProperties.class, Map.of()))
        .isEqualTo(
            new DeriveProperties(
                true, true, DataSize.ofMegabytes(1), DataSize.ofGigabytes(16), 0.5));
    assertThat(bind("encryption", EncryptionDefaults.class, Map.of()))
        .isEqualTo(new EncryptionDefaults(false, Duration.ofSeconds(10)));
    assertThat(bind("progress", ProgressProperties.class, Map.of()))
        .isEqualTo(
            new ProgressProperties(
                true, "RAUC-Serial", 100_000, 1000, 10_000_000, 100_000, Duration.ofDays(90)));
    assertThat(bind("audit", AuditProperties.class, Map.of()))
        .isEqualTo(new AuditProperties(Duration.ofDays(3650), 10_000_000, 20_000));
    assertThat(bind("upload", UploadProperties.class, Map.of()))
        .isEqualTo(
            new UploadProperties(
                DataSize.ofGigabytes(64),
                DataSize.ofBytes(Long.MAX_VALUE),
                16,
                DataSize.ofKilobytes(1),
                2000,
                Duration.ofHours(24)));
  }

  @Test
  void everyName() {
    assertThat(
            bind(
                "derive",
                DeriveProperties.class,
                Map.of(
                    "artifact-server.derive.enabled", "false",
                    "artifact-server.derive.compressed", "false",
                    "artifact-server.derive.min-size", "2MB",
                    "artifact-server.derive.max-size", "3GB",
                    "artifact-server.derive.share", "1")))
        .isEqualTo(
            new DeriveProperties(
                false, false, DataSize.ofMegabytes(2), DataSize.ofGigabytes(3), 1));
    assertThat(
            bind(
                "access",
                AccessProperties.class,
                Map.of("artifact-server.access.public-metrics", "true")))
        .isEqualTo(new AccessProperties(true));
    assertThat(
            bind(
                "retire",
                RetireProperties.class,
                Map.of(
                    "artifact-server.retire.grace-period", "0s",
                    "artifact-server.retire.orphan-age", "2h",
                    "artifact-server.retire.sweep-interval", "200ms",
                    "artifact-server.retire.retention-interval", "2d")))
        .isEqualTo(
            new RetireProperties(
                Duration.ZERO, Duration.ofHours(2), Duration.ofMillis(200), Duration.ofDays(2)));
    assertThat(
            bind(
                "encryption",
                EncryptionDefaults.class,
                Map.of(
                    "artifact-server.encryption.default-for-new-repositories", "true",
                    "artifact-server.encryption.check-interval", "3s")))
        .isEqualTo(new EncryptionDefaults(true, Duration.ofSeconds(3)));
    assertThat(
            bind(
                "progress",
                ProgressProperties.class,
                Map.of(
                    "artifact-server.progress.enabled", "false",
                    "artifact-server.progress.device-header", "X-Serial",
                    "artifact-server.progress.max-pending", "7",
                    "artifact-server.progress.max-named-per-address", "0",
                    "artifact-server.progress.max-rows", "9",
                    "artifact-server.progress.max-new-per-caller", "8",
                    "artifact-server.progress.retention", "1h")))
        .isEqualTo(new ProgressProperties(false, "X-Serial", 7, 0, 9, 8, Duration.ofHours(1)));
    assertThat(
            bind(
                "audit",
                AuditProperties.class,
                Map.of(
                    "artifact-server.audit.retention", "30d",
                    "artifact-server.audit.max-entries", "5000",
                    "artifact-server.audit.max-changes-per-caller", "7")))
        .isEqualTo(new AuditProperties(Duration.ofDays(30), 5000, 7));
    assertThat(
            bind(
                "download",
                DownloadProperties.class,
                Map.of(
                    "artifact-server.download.head-ranges", "true",
                    "artifact-server.download.redirect-with-credentials", "true",
                    "artifact-server.download.revocation-check", "5s")))
        .isEqualTo(new DownloadProperties(true, true, Duration.ofSeconds(5)));
    assertThat(
            bind(
                "upload",
                UploadProperties.class,
                Map.of(
                    "artifact-server.upload.max-artifact-size", "5MB",
                    "artifact-server.upload.max-total-size", "7GB",
                    "artifact-server.upload.max-concurrent", "3",
                    "artifact-server.upload.min-rate", "100B",
                    "artifact-server.upload.max-unfinished", "20",
                    "artifact-server.upload.expiry", "2h")))
        .isEqualTo(
            new UploadProperties(
                DataSize.ofMegabytes(5),
                DataSize.ofGigabytes(7),
                3,
                DataSize.ofBytes(100),
                20,
                Duration.ofHours(2)));
  }

  @Test
  void refusesValuesOutOfBounds() {
    refuses(
        () -> new RetireProperties(Duration.ofSeconds(-1), ANY_TIME, ANY_TIME, ANY_TIME),
        "grace-period");
    refuses(() -> new RetireProperties(ANY_TIME, Duration.ZERO, ANY_TIME, ANY_TIME), "orphan-age");
    refuses(
        () -> new RetireProperties(ANY_TIME, ANY_TIME, Duration.ZERO, ANY_TIME), "sweep-interval");
    refuses(
        () -> new RetireProperties(ANY_TIME, ANY_TIME, ANY_TIME, Duration.ZERO),
        "retention-interval");
    refuses(
        () -> new UploadProperties(DataSize.ofBytes(-1), ANY_SIZE, 1, ANY_SIZE, 2, ANY_TIME),
        "max-artifact-size");
    refuses(
        () -> new UploadProperties(ANY_SIZE, DataSize.ofBytes(-1), 1, ANY_SIZE, 2, ANY_TIME),
        "max-total-size");
    refuses(
        () -> new UploadProperties(ANY_SIZE, ANY_SIZE, 0, ANY_SIZE, 2, ANY_TIME), "max-concurrent");
    refuses(
        () -> new UploadProperties(ANY_SIZE, ANY_SIZE, 1, DataSize.ofBytes(-1), 2, ANY_TIME),
        "min-rate");
    refuses(
        () -> new UploadProperties(ANY_SIZE, ANY_SIZE, 1, ANY_SIZE, 1, ANY_TIME), "max-unfinished");
    refuses(
        () -> new UploadProperties(ANY_SIZE, ANY_SIZE, 1, ANY_SIZE, 2, Duration.ZERO), "expiry");
    refuses(() -> new ProgressProperties(true, "", 0, 0, 1, 0, ANY_TIME), "max-pending");
    refuses(() -> new ProgressProperties(true, "", 1, -1, 1, 0, ANY_TIME), "max-named-per-address");
    refuses(() -> new ProgressProperties(true, "", 1, 0, 0, 0, ANY_TIME), "max-rows");
    refuses(() -> new ProgressProperties(true, "", 1, 0, 1, -1, ANY_TIME), "max-new-per-caller");
    refuses(() -> new ProgressProperties(true, "", 1, 0, 1, 0, Duration.ZERO), "retention");
    refuses(() -> new AuditProperties(Duration.ofHours(23), 1000, 1), "retention");
    refuses(() -> new AuditProperties(Duration.ofDays(1), 999, 1), "max-entries");
    refuses(() -> new AuditProperties(Duration.ofDays(1), 1000, 0), "max-changes-per-caller");
  }

  private static void refuses(Runnable construction, String name) {
    assertThatIllegalArgumentException().isThrownBy(construction::run).withMessageContaining(name);
  }

  private static <T> T bind(String room, Class<T> type, Map<String, String> properties) {
    return new Binder(new MapConfigurationPropertySource(properties))
        .bindOrCreate("artifact-server." + room, type);
  }
}
