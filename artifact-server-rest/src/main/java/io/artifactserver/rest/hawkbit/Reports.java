package io.artifactserver.rest.hawkbit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.progress.DeliveredBytes;
import io.artifactserver.core.range.ByteRange;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Tells of the downloads of hawkBit's devices: by counters of each tenant, and to those who want to
 * be told of each device, once when it has all of an artifact and once when it broke off.
 * Thread-safe; nothing blocks.
 */
public final class Reports {
  /** Downloads that are followed; of one that is forgotten is told again. */
  private static final int MAX_FOLLOWED = 50_000;

  private static final Duration FOLLOWED_FOR = Duration.ofDays(1);

  private final MeterRegistry registry;
  private final List<Recipient> recipients;
  private final Map<String, Meters> tenants = new ConcurrentHashMap<>();
  private final Cache<Report.Subject, Followed> followed =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .maximumSize(MAX_FOLLOWED)
          .expireAfterAccess(FOLLOWED_FOR)
          .build();

  /** Somebody who wants to be told. */
  @FunctionalInterface
  interface Recipient {
    /** Tells; must not block. */
    void tell(Report report, Question question);
  }

  Reports(List<Recipient> recipients, MeterRegistry registry) {
    this.recipients = List.copyOf(recipients);
    this.registry = registry;
  }

  /**
   * A download that begins. No I/O.
   *
   * @param question that hawkBit answered
   * @param length of the artifact, in bytes
   */
  public Download of(Question question, String fileName, Digest sha256, long length) {
    String tenant = question.tenant().toUpperCase(Locale.ROOT);
    Meters meters = tenants.computeIfAbsent(tenant, name -> Meters.register(registry, name));
    Report.Subject subject =
        new Report.Subject(
            tenant, question.controllerId(), question.softwareModuleId(), fileName, sha256, length);
    return new Download(
        meters,
        question,
        subject,
        recipients.isEmpty() ? null : followed.get(subject, _ -> new Followed()));
  }

  /** One request's part of a download. Thread-safe. */
  public final class Download {
    private final Meters meters;
    private final Question question;
    private final Report.Subject subject;
    private final @Nullable Followed followed;

    private Download(
        Meters meters, Question question, Report.Subject subject, @Nullable Followed followed) {
      this.meters = meters;
      this.question = question;
      this.subject = subject;
      this.followed = followed;
    }

    /** The device was sent a range. */
    public void delivered(ByteRange range) {
      meters.bytes().increment((double) range.length());
      if (followed != null && followed.isFirstWhole(range, subject.length())) {
        tell(Report.State.COMPLETE, subject.length());
      }
    }

    /**
     * The request is over.
     *
     * @param isComplete whether the device took all that it asked for
     */
    public void ended(boolean isComplete) {
      (isComplete ? meters.complete() : meters.aborted()).increment();
      if (followed != null && !isComplete && followed.isFirstAbort(subject.length())) {
        tell(Report.State.ABORTED, followed.count());
      }
    }

    private void tell(Report.State state, long bytes) {
      Report report = new Report(subject, bytes, state);
      recipients.forEach(recipient -> recipient.tell(report, question));
    }
  }

  /** The state of one device and artifact. */
  private static final class Followed {
    private DeliveredBytes delivered = DeliveredBytes.NONE;
    private boolean isWholeTold;
    private boolean isAbortTold;

    synchronized boolean isFirstWhole(ByteRange range, long length) {
      if (isWholeTold) {
        return false;
      }
      delivered = delivered.plus(range);
      isWholeTold = delivered.runs() == 1 && delivered.count() == length;
      return isWholeTold;
    }

    synchronized boolean isFirstAbort(long length) {
      if (isAbortTold || isWholeTold) {
        return false;
      }
      isAbortTold = delivered.count() < length;
      return isAbortTold;
    }

    synchronized long count() {
      return delivered.count();
    }
  }

  private record Meters(Counter bytes, Counter complete, Counter aborted) {
    static Meters register(MeterRegistry registry, String tenant) {
      return new Meters(
          Counter.builder("artifact_server.hawkbit.download.bytes")
              .description("Bytes of what hawkBit granted that its devices took")
              .baseUnit("bytes")
              .tag("tenant", tenant)
              .register(registry),
          downloads(registry, tenant, "complete"),
          downloads(registry, tenant, "aborted"));
    }

    private static Counter downloads(MeterRegistry registry, String tenant, String ending) {
      return Counter.builder("artifact_server.hawkbit.downloads")
          .description("Requests of hawkBit's devices, ranges too, that were served to their end")
          .tags("tenant", tenant, "ending", ending)
          .register(registry);
    }
  }
}
