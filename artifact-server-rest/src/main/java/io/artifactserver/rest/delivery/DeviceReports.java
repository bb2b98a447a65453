package io.artifactserver.rest.delivery;

import io.artifactserver.core.access.LinkRefusedException;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.delivery.address.Addresses;
import io.artifactserver.rest.delivery.address.InstallReport;
import io.artifactserver.rest.delivery.address.Target;
import io.artifactserver.rest.delivery.resolve.RequestCredentials;
import io.artifactserver.rest.front.Exchange;
import io.artifactserver.rest.front.GatheredRequest;
import io.artifactserver.rest.front.ProblemWriter;
import io.artifactserver.rest.front.UnwantedBody;
import io.artifactserver.rest.problem.Problems;
import io.artifactserver.rest.server.guard.Connections;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.springframework.http.HttpStatus;

/**
 * Takes messages of devices about the updates that they were offered. Thread-safe; nothing blocks.
 */
record DeviceReports(
    RequestCredentials credentials,
    Followers followers,
    Downloads downloads,
    ProblemWriter problems,
    Connections connections) {
  /** The rest of a body that came in part is not read. */
  private static final HttpFields CLOSE =
      HttpFields.from(new HttpField(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE.asString()));

  /**
   * Answers, once the message is there.
   *
   * @param path that takes reports
   */
  void take(Exchange exchange, String path) {
    Request request = exchange.request();
    try {
      Optional<Target.OfChannel> about = Addresses.reported(path);
      if (about.isEmpty()) {
        UnwantedBody.discard(request);
        refuse(exchange, HttpStatus.NOT_FOUND, "No log", "The address names no artifact.");
      } else if (request.getLength() > GatheredRequest.MAX_LENGTH) {
        UnwantedBody.discard(request);
        tooLong(exchange, HttpFields.EMPTY);
      } else {
        gather(exchange, about.get());
      }
    } catch (InvalidNameException e) {
      UnwantedBody.discard(request);
      problems.write(
          exchange, Problems.invalidName(String.valueOf(e.getMessage())), HttpFields.EMPTY);
    }
  }

  private void gather(Exchange exchange, Target.OfChannel about) {
    GatheredRequest.gather(
        exchange.request(),
        connections,
        new GatheredRequest.Listener() {
          @Override
          public void whole(Request request) {
            take(new Exchange(request, exchange.response(), exchange.callback()), about);
          }

          @Override
          public void tooLong() {
            DeviceReports.this.tooLong(exchange, CLOSE);
          }

          @Override
          public void tooLate() {
            problems.write(exchange, Problems.bodyTooLate(GatheredRequest.TIME), CLOSE);
          }

          @Override
          public void broken(Throwable failure) {
            exchange.fail(failure);
          }
        });
  }

  private void take(Exchange exchange, Target.OfChannel about) {
    try {
      // What is no UTF-8 is replaced: the agent's log has what programs on the device print.
      String line =
          StandardCharsets.UTF_8.decode(Content.Source.asByteBuffer(exchange.request())).toString();
      if (line.length() > InstallReport.MAX_LENGTH) {
        tooLong(exchange, HttpFields.EMPTY);
        return;
      }
      Optional<InstallReport> report = InstallReport.parse(line);
      if (report.isEmpty()) {
        refuse(
            exchange,
            HttpStatus.BAD_REQUEST,
            "Unknown event",
            "The first value of the line is \"started\", \"success\" or \"fail\", and the second one"
                + " the device. docs/releases.md has the lines for swupdate.cfg.");
        return;
      }
      Target target =
          new Target.OfReport(about.channel(), about.path(), report.get(), about.device());
      Credentials shown = credentials.of(exchange.request(), target);
      downloads.serve(
          new Answers.Asked(
              exchange, followers.named(exchange.request(), target, shown), shown, null));
    } catch (LinkRefusedException e) {
      problems.write(exchange, Problems.linkRefused(e), HttpFields.EMPTY);
    } catch (IOException | RuntimeException e) {
      exchange.fail(e);
    }
  }

  private void tooLong(Exchange exchange, HttpFields fields) {
    problems.write(exchange, Problems.bodyTooLong(InstallReport.MAX_LENGTH), fields);
  }

  private void refuse(Exchange exchange, HttpStatus status, String title, String detail) {
    problems.write(exchange, Problems.of(status, title, detail), HttpFields.EMPTY);
  }
}
