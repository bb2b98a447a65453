package io.artifactserver.rest.console;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.rest.http.RequestPath;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** Numbers, times and addresses as pages show them. Pure functions. */
public final class Format {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  private static final int STEP = 1024;

  private static final List<ChronoUnit> SPANS =
      List.of(ChronoUnit.DAYS, ChronoUnit.HOURS, ChronoUnit.MINUTES, ChronoUnit.SECONDS);

  private static final DateTimeFormatter UTC =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private Format() {}

  /** {@code 64.0 MiB}. */
  public static String bytes(long bytes) {
    double amount = bytes;
    int unit = 0;
    // 1023.96 would be printed as 1024.0.
    while (amount >= STEP - 0.05 && unit < UNITS.length - 1) {
      amount /= STEP;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", amount, UNITS[unit]);
  }

  /** {@code 67,108,864 bytes}. */
  public static String exact(long bytes) {
    return String.format(Locale.ROOT, "%,d bytes", bytes);
  }

  /** {@code 1.5 MiB/s}; a dash where there is no rate. */
  public static String rate(OptionalLong bytesPerSecond) {
    return bytesPerSecond.isPresent() ? bytes(bytesPerSecond.getAsLong()) + "/s" : "–";
  }

  /** {@code 45.1 %}, rounded so that only all of it is 100. */
  public static String percent(long count, long length) {
    double share = length == 0 ? 100 : 100.0 * count / length;
    return String.format(Locale.ROOT, "%.1f %%", count < length ? Math.min(share, 99.9) : share);
  }

  /** {@code 90 minutes}, in the largest unit that fits. */
  public static String span(Duration span) {
    for (ChronoUnit unit : SPANS) {
      if (span.toNanos() % unit.getDuration().toNanos() == 0) {
        long count = span.dividedBy(unit.getDuration());
        String name = unit.toString().toLowerCase(Locale.ROOT);
        return count == 1 ? "1 " + name.substring(0, name.length() - 1) : count + " " + name;
      }
    }
    return span.toMillis() + " ms";
  }

  /** {@code 2026-11-30 16:15:00 UTC}. */
  public static String utc(Instant time) {
    return UTC.format(time);
  }

  /** The address of an artifact's page. */
  public static String artifact(ArtifactId id) {
    return artifact(id.repository(), id.path());
  }

  /** The address of an artifact's page. */
  public static String artifact(String repository, String path) {
    return "/console/artifact?repository=%s&path=%s".formatted(query(repository), query(path));
  }

  /** The address of an artifact in the API. */
  public static String api(ArtifactId id) {
    return "/api/v1/repositories/%s/artifacts/%s"
        .formatted(id.repository(), RequestPath.encode(id.path()));
  }

  /** The address of a channel's page. */
  public static String channel(String repository, String channel) {
    return "/console/channel?repository=%s&name=%s".formatted(query(repository), query(channel));
  }

  /** The address of the page that shows how far devices are with a channel. */
  public static String channelRollout(String repository, String channel) {
    return "/console/channel/rollout?repository=%s&name=%s"
        .formatted(query(repository), query(channel));
  }

  /** The address at which a person downloads an artifact. */
  public static String download(String repository, String path) {
    return "/console/download?repository=%s&path=%s".formatted(query(repository), query(path));
  }

  /** The address at which a person saves a document about an artifact. */
  public static String attachment(String repository, String path, String sha256) {
    return "/console/attachment?repository=%s&path=%s&sha256=%s"
        .formatted(query(repository), query(path), sha256);
  }

  /** A value in a query. */
  public static String query(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
