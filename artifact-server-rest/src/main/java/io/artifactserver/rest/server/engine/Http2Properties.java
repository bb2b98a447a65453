package io.artifactserver.rest.server.engine;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * HTTP/2. Immutable.
 *
 * @param cleartext whether clients may speak it without TLS, by prior knowledge; default false. Set
 *     it where a proxy in front ends TLS and speaks HTTP/2 to this server.
 * @param maxStreams requests at the same time on one connection; default 128. More are refused, and
 *     clients send them again. Lower it to save memory: each request under way holds some.
 * @param maxControlFrames per second and connection that ask for work and transfer nothing (resets,
 *     pings, settings, priorities, continuations); default 2000. Beyond it the connection is
 *     closed. Raise it for clients that abort more than a third as many downloads a second.
 */
@ConfigurationProperties("artifact-server.http2")
public record Http2Properties(
    @DefaultValue("false") boolean cleartext,
    @DefaultValue("128") int maxStreams,
    @DefaultValue("2000") int maxControlFrames) {
  /**
   * @throws IllegalArgumentException if a value is out of its bounds
   */
  public Http2Properties {
    Assert.isTrue(
        maxStreams >= 1, "artifact-server.http2.max-streams must be at least 1, not " + maxStreams);
    Assert.isTrue(
        maxControlFrames >= 1,
        "artifact-server.http2.max-control-frames must be at least 1, not " + maxControlFrames);
  }
}
