package io.artifactserver.rest.delivery;

import io.artifactserver.core.progress.ProgressBook;
import io.artifactserver.core.release.Channel;
import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.core.release.ChannelState;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.api.progress.ProgressProperties;
import io.artifactserver.rest.delivery.address.Target;
import io.artifactserver.rest.server.guard.Connections;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.server.Request;

/**
 * Finds out which device follows a channel, where the channel's stage depends on it: it is what it
 * calls itself, or else its certificate's subject; the resolver adds its token. Thread-safe.
 */
record Followers(
    ChannelBook channels,
    Connections connections,
    ProgressProperties progress,
    PollProperties polls) {
  /** The same target, with the device that asks where it matters. No I/O. */
  Target named(Request request, Target target, Credentials credentials) {
    return switch (target) {
      case Target.OfChannel it when asksForDevices(it.channel()) ->
          new Target.OfChannel(
              it.channel(), it.path(), claim(request, field(request), credentials));
      case Target.OfPoll it when asksForDevices(it.channel()) ->
          new Target.OfPoll(
              it.agent(),
              it.channel(),
              it.path(),
              claim(
                  request,
                  it.agent() == Target.Agent.RAUC
                      ? field(request)
                      : parameter(request, polls.deviceParameter()),
                  credentials));
      case Target.OfReport it when asksForDevices(it.channel()) ->
          new Target.OfReport(
              it.channel(),
              it.path(),
              it.report(),
              claim(request, it.report().device(), credentials));
      default -> target;
    };
  }

  /** Returns a parameter of the query; empty if there is none, or its value is not readable. */
  static String parameter(Request request, String name) {
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

  private boolean asksForDevices(Channel channel) {
    return channels.find(channel).filter(ChannelState::asksForDevices).isPresent();
  }

  private String field(Request request) {
    String value =
        progress.deviceHeader().isEmpty()
            ? null
            : request.getHeaders().get(progress.deviceHeader());
    return value == null ? "" : value;
  }

  private Target.Claim claim(Request request, String name, Credentials credentials) {
    String own = name.strip();
    return new Target.Claim(
        own.isEmpty() || own.length() > ProgressBook.MAX_NAME_LENGTH
            ? credentials.certificateSubject()
            : own,
        connections.origin(request));
  }
}
