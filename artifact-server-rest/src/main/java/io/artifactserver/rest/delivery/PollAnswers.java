package io.artifactserver.rest.delivery;

import io.artifactserver.core.release.StageWatch;
import io.artifactserver.rest.delivery.Answers.Asked;
import io.artifactserver.rest.delivery.PollMetrics.Answer;
import io.artifactserver.rest.delivery.address.InstallReport;
import io.artifactserver.rest.delivery.address.Target;
import io.artifactserver.rest.delivery.answer.JettyRequestFields;
import io.artifactserver.rest.delivery.report.Deliveries;
import io.artifactserver.rest.delivery.resolve.Resolution;
import io.artifactserver.rest.front.Exchange;
import io.artifactserver.rest.http.ResponsePlan;
import io.artifactserver.rest.http.ResponsePlanner;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;

/**
 * Answers devices that ask a channel whether it has something for them, in the words of their
 * programs. Thread-safe; nothing blocks.
 *
 * <p>RAUC ({@code polling.c}, {@code nbd.c}): 304 and 204 end a poll well, 206 and whatever leads
 * to it is a bundle, everything else is a failure. SWUpdate ({@code server_general.c}): 302 is an
 * update, 404 is none, everything else is a failure; {@code Retry-After} sets its next poll.
 *
 * <p>Both are sent to the artifact's own address, whose bytes stay what they are while the channel
 * is switched: what they ask for next, they ask there.
 */
final class PollAnswers {
  private final PollProperties properties;
  private final PollPace pace;
  private final StageWatch watch;
  private final Deliveries deliveries;
  private final InstantSource clock;
  private final PollMetrics metrics;

  /**
   * @param watch of devices in stages
   * @param deliveries take down what devices say of their updates
   */
  PollAnswers(
      PollProperties properties,
      StageWatch watch,
      Deliveries deliveries,
      InstantSource clock,
      MeterRegistry registry) {
    this.properties = properties;
    this.pace = new PollPace(properties, System::nanoTime);
    this.watch = watch;
    this.deliveries = deliveries;
    this.clock = clock;
    this.metrics = new PollMetrics(registry);
  }

  /** Returns the field that every answer to SWUpdate has, whatever else it says. */
  HttpFields fields(Target target) {
    return fields(target, false);
  }

  private HttpFields fields(Target target, boolean isWaiting) {
    return target instanceof Target.OfReport
            || (target instanceof Target.OfPoll poll && poll.agent() == Target.Agent.SWUPDATE)
        ? HttpFields.from(
            new HttpField(HttpHeader.RETRY_AFTER, String.valueOf(pace.next(isWaiting))))
        : HttpFields.EMPTY;
  }

  /** Answers where the channel has something. */
  void offer(Asked asked, Resolution.Offered offered) {
    switch (asked.target()) {
      case Target.OfReport told -> {
        report(asked, told, offered);
        end(asked, HttpStatus.NO_CONTENT_204, false);
      }
      case Target.OfPoll poll when poll.agent() == Target.Agent.RAUC -> rauc(asked, poll, offered);
      case Target.OfPoll poll -> swupdate(asked, poll, offered);
      default -> throw new IllegalArgumentException(asked.target() + " is no poll");
    }
  }

  private void report(Asked asked, Target.OfReport told, Resolution.Offered offered) {
    InstallReport.Event event = told.report().event();
    deliveries.reported(asked.exchange().request(), told, asked.credentials(), offered.served());
    if (event != InstallReport.Event.STARTED) {
      watch.reported(
          offered.chosen().watchedWith(told.path()), event == InstallReport.Event.SUCCESS);
    }
    metrics.reported(event);
  }

  private void rauc(Asked asked, Target.OfPoll poll, Resolution.Offered offered) {
    Exchange exchange = asked.exchange();
    String software =
        Objects.requireNonNullElse(exchange.request().getHeaders().get("RAUC-System-Version"), "");
    // RAUC installs a bundle once: that it asks again says nothing of how that ended.
    Optional<String> watched = watch(poll, offered, software, false);
    if (isUnchanged(exchange, offered)) {
      exchange.response().getHeaders().add(offered.served().validators());
      metrics.answered(Target.Agent.RAUC, Answer.UNCHANGED);
      end(asked, HttpStatus.NOT_MODIFIED_304, false);
    } else {
      redirect(asked, Target.Agent.RAUC, offered, watched);
    }
  }

  private void swupdate(Asked asked, Target.OfPoll poll, Resolution.Offered offered) {
    String has = Followers.parameter(asked.exchange().request(), properties.releaseParameter());
    if (isSame(has, String.valueOf(offered.chosen().state().release()))) {
      watch.hasRelease(offered.chosen().watchedWith(poll.path()));
      metrics.answered(Target.Agent.SWUPDATE, Answer.UNCHANGED);
      end(asked, HttpStatus.NOT_FOUND_404, false);
    } else if (isSame(has, offered.chosen().release().orElse(""))) {
      metrics.answered(Target.Agent.SWUPDATE, Answer.UNCHANGED);
      end(asked, HttpStatus.NOT_FOUND_404, false);
    } else {
      redirect(asked, Target.Agent.SWUPDATE, offered, watch(poll, offered, has, true));
    }
  }

  private Optional<String> watch(
      Target.OfPoll poll, Resolution.Offered offered, String software, boolean asksInVain) {
    return offered.chosen().isWatched()
        ? watch.offered(
            offered.chosen().watchedWith(poll.path()),
            offered.served().representation().length(),
            software,
            asksInVain)
        : Optional.empty();
  }

  private void redirect(
      Asked asked, Target.Agent agent, Resolution.Offered offered, Optional<String> watched) {
    String query = watched.map(id -> '?' + Deliveries.WATCH + '=' + id).orElse("");
    asked.exchange().response().getHeaders().put(HttpHeader.LOCATION, offered.address() + query);
    metrics.answered(agent, Answer.UPDATE);
    end(asked, HttpStatus.FOUND_302, false);
  }

  /** Answers where the channel has nothing, for now or at all. */
  void nothing(Asked asked, boolean isWaiting) {
    if (asked.target() instanceof Target.OfPoll poll && poll.agent() == Target.Agent.RAUC) {
      metrics.answered(Target.Agent.RAUC, Answer.NONE);
      end(asked, HttpStatus.NO_CONTENT_204, isWaiting);
    } else {
      metrics.answered(Target.Agent.SWUPDATE, Answer.NONE);
      end(asked, HttpStatus.NOT_FOUND_404, isWaiting);
    }
  }

  private void end(Asked asked, int status, boolean isWaiting) {
    Exchange exchange = asked.exchange();
    exchange.response().setStatus(status);
    HttpFields.Mutable fields =
        exchange.response().getHeaders().add(fields(asked.target(), isWaiting));
    if (status != HttpStatus.NOT_MODIFIED_304) {
      fields.put(HttpHeader.CACHE_CONTROL, "no-store");
    }
    exchange.endWithoutBody();
  }

  private boolean isUnchanged(Exchange exchange, Resolution.Offered offered) {
    Request request = exchange.request();
    return ResponsePlanner.plan(
            HttpMethod.HEAD.asString(),
            new JettyRequestFields(request.getHeaders()),
            offered.served().representation(),
            clock.instant())
        instanceof ResponsePlan.NotModified;
  }

  /** A release is named by its path, or by the last part of that. */
  private static boolean isSame(String has, String release) {
    return !has.isEmpty()
        && (release.equals(has) || release.substring(release.lastIndexOf('/') + 1).equals(has));
  }
}
