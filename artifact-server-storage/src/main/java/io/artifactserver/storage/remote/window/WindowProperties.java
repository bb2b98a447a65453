package io.artifactserver.storage.remote.window;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * The memory that all transfers of remote backends share. Immutable.
 *
 * @param readAheadBudget memory for chunks read ahead and parts being sent, of the whole process,
 *     in bytes; default 256 MB. Beyond it each transfer keeps one chunk, and none fails. Raise it,
 *     and the heap with it, when many large transfers at once are slower than the network.
 */
@ConfigurationProperties("artifact-server.storage")
public record WindowProperties(@DefaultValue("256MB") DataSize readAheadBudget) {
  /**
   * @throws IllegalArgumentException if the value is out of its bounds
   */
  public WindowProperties {
    Assert.isTrue(
        readAheadBudget.toBytes() >= 1,
        "artifact-server.storage.read-ahead-budget must be positive, not " + readAheadBudget);
  }
}
