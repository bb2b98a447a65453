package io.artifactserver.rest.delivery;

import io.artifactserver.rest.delivery.Answers.Asked;
import io.artifactserver.rest.delivery.PollMetrics.Answer;
import io.artifactserver.rest.delivery.address.Target;
import io.artifactserver.rest.delivery.answer.JettyRequestFields;
import io.artifactserver.rest.delivery.report.Deliveries;
import io.artifactserver.rest.delivery.resolve.Resolution;
import io.artifactserver.rest.front.Exchange;
import io.artifactserver.rest.http.ResponsePlan;
import io.artifactserver.rest.http.ResponsePlanner;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.concurrent.ThreadLocalRandom;
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
public final class PollAnswers {
  /** Devices that were answered at the same time come again over this part of the interval. */
  private static final double SPREAD = 0.2;

  private final PollProperties properties;
  private final Deliveries deliveries;
  private final InstantSource clock;
  private final PollMetrics metrics;

  /**
   * @param deliveries take down what devices say of their updates
   */
  public PollAnswers(
      PollProperties properties,
      Deliveries deliveries,
      InstantSource clock,
      MeterRegistry registry) {
    this.properties = properties;
    this.deliveries = deliveries;
    this.clock = clock;
    this.metrics = new PollMetrics(registry);
  }

  /** Returns the field that every answer to SWUpdate has, whatever else it says. */
  HttpFields fields(Target target) {
    return isSwupdate(target)
        ? HttpFields.from(new HttpField(HttpHeader.RETRY_AFTER, String.valueOf(seconds())))
        : HttpFields.EMPTY;
  }

  /** Answers where the channel has something. */
  void offer(Asked asked, Resolution.Offered offered) {
    Exchange exchange = asked.exchange();
    switch (asked.target()) {
      case Target.OfReport report -> {
        deliveries.reported(exchange.request(), report, asked.credentials(), offered.served());
        metrics.reported(report.report().event());
        end(asked, HttpStatus.NO_CONTENT_204);
      }
      case Target.OfPoll(Target.Agent agent, _, _)
          when agent == Target.Agent.RAUC && isUnchanged(exchange, offered) -> {
        exchange.response().getHeaders().add(offered.served().validators());
        metrics.answered(agent, Answer.UNCHANGED);
        end(asked, HttpStatus.NOT_MODIFIED_304);
      }
      case Target.OfPoll(Target.Agent agent, _, _)
          when agent == Target.Agent.SWUPDATE && has(exchange.request(), offered.release()) ->
          nothing(asked, agent, Answer.UNCHANGED);
      case Target.OfPoll(Target.Agent agent, _, _) -> {
        exchange.response().getHeaders().put(HttpHeader.LOCATION, offered.address());
        metrics.answered(agent, Answer.UPDATE);
        end(asked, HttpStatus.FOUND_302);
      }
      default -> throw new IllegalArgumentException(asked.target() + " is no poll");
    }
  }

  /** Answers where the channel has nothing. */
  void nothing(Asked asked) {
    if (asked.target() instanceof Target.OfPoll(Target.Agent agent, _, _)) {
      nothing(asked, agent, Answer.NONE);
    } else {
      end(asked, HttpStatus.NOT_FOUND_404);
    }
  }

  private void nothing(Asked asked, Target.Agent agent, Answer why) {
    metrics.answered(agent, why);
    end(asked, agent == Target.Agent.RAUC ? HttpStatus.NO_CONTENT_204 : HttpStatus.NOT_FOUND_404);
  }

  private void end(Asked asked, int status) {
    Exchange exchange = asked.exchange();
    exchange.response().setStatus(status);
    HttpFields.Mutable fields = exchange.response().getHeaders().add(fields(asked.target()));
    if (status != HttpStatus.NOT_MODIFIED_304) {
      fields.put(HttpHeader.CACHE_CONTROL, "no-store");
    }
    exchange.endWithoutBody();
  }

  private boolean isUnchanged(Exchange exchange, Resolution.Offered offered) {
    return ResponsePlanner.plan(
            HttpMethod.HEAD.asString(),
            new JettyRequestFields(exchange.request().getHeaders()),
            offered.served().representation(),
            clock.instant())
        instanceof ResponsePlan.NotModified;
  }

  /** Whether the device says that it has the release, by its path or the last part of that. */
  private boolean has(Request request, String release) {
    String has = parameter(request, properties.releaseParameter());
    return release.equals(has) || release.substring(release.lastIndexOf('/') + 1).equals(has);
  }

  /** Returns a parameter of the query; empty if there is none, or its value is not readable. */
  private static String parameter(Request request, String name) {
    String query = request.getHttpURI().getQuery();
    if (query == null) {
      return "";
    }
    for (String pair : query.split("&", -1)) {
      if (pair.startsWith(name) && pair.startsWith("=", name.length())) {
        try {
          return URLDecoder.decode(pair.substring(name.length() + 1), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
          return "";
        }
      }
    }
    return "";
  }

  private long seconds() {
    double spread = 1 + SPREAD * ThreadLocalRandom.current().nextDouble();
    return Math.round(properties.interval().toSeconds() * spread);
  }

  private static boolean isSwupdate(Target target) {
    return target instanceof Target.OfReport
        || (target instanceof Target.OfPoll(Target.Agent agent, _, _)
            && agent == Target.Agent.SWUPDATE);
  }
}
