package io.artifactserver.rest.delivery.report;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.SignedLink;
import io.artifactserver.core.limit.Network;
import io.artifactserver.core.progress.DeliveryError;
import io.artifactserver.core.progress.ProgressBook;
import io.artifactserver.core.progress.ProgressBook.Device;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.release.StageWatch;
import io.artifactserver.core.release.WatchedDevice;
import io.artifactserver.rest.access.Authentication;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.api.progress.ProgressProperties;
import io.artifactserver.rest.delivery.address.InstallReport;
import io.artifactserver.rest.delivery.address.Target;
import io.artifactserver.rest.delivery.body.TransferOutcome;
import io.artifactserver.rest.delivery.resolve.Resolution;
import io.artifactserver.rest.delivery.resolve.Served;
import io.artifactserver.rest.front.Lookups;
import io.artifactserver.rest.hawkbit.Question;
import io.artifactserver.rest.hawkbit.Reports;
import io.artifactserver.rest.server.guard.Connections;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whom to tell of what a request is sent: the progress of artifacts, or the reports of
 * what hawkBit granted. A device is whom its signed link was made for, or what it calls itself in
 * the configured field, or else its certificate's subject or its token; hawkBit's are in the path.
 * Thread-safe.
 *
 * @param lookups run what has to ask the database who a device is
 * @param stages watch devices that were offered a staged release
 * @param reports of what hawkBit granted, if it is asked
 */
public record Deliveries(
    ProgressProperties properties,
    ProgressBook book,
    Authenticator authenticator,
    Connections connections,
    Lookups lookups,
    StageWatch stages,
    Optional<Reports> reports) {
  /** Parameter of an address that a device in a stage was sent to: under which it is watched. */
  public static final String WATCH = "watch";

  private static final String WATCHED = WATCH + '=';

  /** Returns null, for every request of nobody that is known, if there is nothing to take down. */
  public @Nullable Delivery of(
      Request request, Target target, Credentials credentials, Served served) {
    Delivery delivery = unwatched(request, target, credentials, served);
    String query = request.getHttpURI().getQuery();
    if (query == null || !query.startsWith(WATCHED)) {
      return delivery;
    }
    return stages
        .find(query.substring(WATCHED.length()))
        .<Delivery>map(device -> new WatchedDelivery(stages, device, delivery))
        .orElse(delivery);
  }

  /** The same for a device that gets the release of a stage where it follows the channel. */
  public @Nullable Delivery ofStage(
      Request request, Target target, Credentials credentials, Resolution.Followed followed) {
    Served served = followed.served();
    Delivery delivery = unwatched(request, target, credentials, served);
    return target instanceof Target.OfChannel it
        ? stages
            .followed(followed.chosen().watchedWith(it.path()), served.representation().length())
            .<Delivery>map(device -> new WatchedDelivery(stages, device, delivery))
            .orElse(delivery)
        : delivery;
  }

  private @Nullable Delivery unwatched(
      Request request, Target target, Credentials credentials, Served served) {
    if (target instanceof Target.Granted wish) {
      return reports.isPresent() && served.bytes() instanceof Served.Bytes.Foreign
          ? new GrantedDelivery(download(reports.get(), wish, credentials, served))
          : null;
    }
    if (!properties.enabled() || !(served.bytes() instanceof Served.Bytes.Stored)) {
      return null;
    }
    String field =
        properties.deviceHeader().isEmpty()
            ? null
            : request.getHeaders().get(properties.deviceHeader());
    String name = field == null ? "" : field.strip();
    if (!isName(name) && isNobody(credentials)) {
      return null;
    }
    String repository =
        switch (target) {
          case Target.InRepository in -> in.repository();
          // It may be an artifact of several.
          case Target.OfContent _, Target.Granted _ -> "";
        };
    return repository.isEmpty() ? null : device(request, repository, credentials, served, name);
  }

  /** Takes down what a device says of the update that it was offered. */
  public void reported(
      Request request, Target.OfReport told, Credentials credentials, Served served) {
    InstallReport report = told.report();
    if (properties.enabled() && (isName(report.device()) || !isNobody(credentials))) {
      device(request, told.repository(), credentials, served, report.device())
          .tell(entry -> {
            switch (report.event()) {
              case STARTED, SUCCESS -> entry.seen();
              case FAIL -> entry.failed(DeliveryError.Reason.REPORTED);
            }
          });
    }
  }

  /**
   * @param name that the device calls itself by; another one if it is none
   */
  private DeviceDelivery device(
      Request request, String repository, Credentials credentials, Served served, String name) {
    return new DeviceDelivery(
        new ProgressSubject(
            repository, served.digests().sha256(), served.representation().length()),
        credentials,
        isName(name) ? name : credentials.certificateSubject(),
        connections.client(request),
        address(request));
  }

  private static Reports.Download download(
      Reports reports, Target.Granted wish, Credentials credentials, Served served) {
    Question question =
        new Question(
            wish.tenant(),
            wish.controllerId(),
            wish.softwareModuleId(),
            credentials.authorization());
    return reports.of(
        question, wish.fileName(), served.digests().sha256(), served.representation().length());
  }

  private static boolean isNobody(Credentials credentials) {
    return credentials.authorization().isEmpty()
        && credentials.certificateSubject().isEmpty()
        && credentials.link() == null;
  }

  /** Whether the database can keep it, and a person can read it. */
  private static boolean isName(String name) {
    return !name.isEmpty()
        && name.length() <= ProgressBook.MAX_NAME_LENGTH
        && name.chars().noneMatch(Character::isISOControl);
  }

  private static Object address(Request request) {
    return request.getConnectionMetaData().getRemoteSocketAddress()
            instanceof InetSocketAddress socket
        ? Network.ofClient(socket.getAddress())
        : "";
  }

  /** Is told what a request is sent. Thread-safe; nothing blocks. */
  public interface Delivery {
    /**
     * The connection took the range.
     *
     * @param took how long it took until now
     */
    void delivered(ByteRange range, Duration took);

    /** The body has come to its end. */
    default void ended(TransferOutcome.Ending ending) {}
  }

  /** A delivery of what hawkBit granted. */
  private record GrantedDelivery(Reports.Download download) implements Delivery {
    @Override
    public void delivered(ByteRange range, Duration took) {
      download.delivered(range);
    }

    @Override
    public void ended(TransferOutcome.Ending ending) {
      download.ended(ending == TransferOutcome.Ending.COMPLETE);
    }
  }

  /**
   * A delivery to a device in a stage.
   *
   * @param inner is told, too; null if nobody else is
   */
  private record WatchedDelivery(StageWatch stages, WatchedDevice device, @Nullable Delivery inner)
      implements Delivery {
    @Override
    public void delivered(ByteRange range, Duration took) {
      stages.delivered(device, range.length());
      if (inner != null) {
        inner.delivered(range, took);
      }
    }

    @Override
    public void ended(TransferOutcome.Ending ending) {
      if (inner != null) {
        inner.ended(ending);
      }
    }
  }

  /** Takes down what one device is sent of one artifact. */
  private final class DeviceDelivery implements Delivery {
    private final ProgressSubject subject;
    private final Credentials credentials;
    private final String name;
    private final @Nullable Object client;
    private final Object address;

    /** The owner of the credentials, who stays the same; null until it is known. */
    private volatile ProgressBook.@Nullable Entry known;

    /**
     * @param name of the device; empty if its token says it
     * @param client whom a lookup counts for; null if the address says nothing
     */
    private DeviceDelivery(
        ProgressSubject subject,
        Credentials credentials,
        String name,
        @Nullable Object client,
        Object address) {
      this.subject = subject;
      this.credentials = credentials;
      this.name = name;
      this.client = client;
      this.address = address;
    }

    @Override
    public void delivered(ByteRange range, Duration took) {
      tell(entry -> entry.delivered(range, took));
    }

    @Override
    public void ended(TransferOutcome.Ending ending) {
      switch (ending) {
        case COMPLETE -> {}
        case ABORTED -> tell(entry -> entry.failed(DeliveryError.Reason.ABORTED));
        case FAILED -> tell(entry -> entry.failed(DeliveryError.Reason.FAILED));
      }
    }

    private void tell(Consumer<ProgressBook.Entry> note) {
      ProgressBook.Entry before = known;
      if (before != null) {
        note.accept(before);
        return;
      }
      if (isNobody(credentials)) {
        note.accept(entry(Device.claimed(name, address)));
        return;
      }
      Authentication caller = authenticator.peek(credentials);
      if (caller instanceof Authentication.Undecided) {
        // A public repository asks nobody for a token, so it may not have been looked up yet.
        var _ =
            lookups.authenticate(authenticator, credentials, client, found -> tell(found, note));
      } else {
        var _ = tell(caller, note);
      }
    }

    /**
     * Records the caller's device, or else the one that the request names. Returns whether it was
     * the caller's.
     */
    private boolean tell(Authentication caller, Consumer<ProgressBook.Entry> note) {
      if (caller instanceof Authentication.Undecided) {
        return false;
      }
      if (caller instanceof Authentication.Known(Caller someone)) {
        Device device = ofKnown(someone);
        if (!device.name().isEmpty()) {
          ProgressBook.Entry entry = entry(device);
          known = entry;
          note.accept(entry);
          return true;
        }
      }
      if (!name.isEmpty()) {
        note.accept(
            entry(
                name.equals(credentials.certificateSubject())
                    ? Device.proved(name)
                    : Device.claimed(name, address)));
      }
      return false;
    }

    private ProgressBook.Entry entry(Device device) {
      return book.entry(subject, device);
    }

    /** The device that its credentials vouch for. */
    private Device ofKnown(Caller someone) {
      SignedLink link = credentials.link();
      if (link != null) {
        return Device.proved(link.terms().device());
      }
      return name.isEmpty() || name.equals(credentials.certificateSubject())
          ? Device.proved(name.isEmpty() ? someone.name() : name)
          : Device.named(name, someone.id());
    }
  }
}
