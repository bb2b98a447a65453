package io.artifactserver.rest.api.webhook;

import io.artifactserver.core.release.ChannelEvent;
import io.artifactserver.core.release.ChannelState;
import io.artifactserver.core.webhook.DeliveryStore;
import io.artifactserver.core.webhook.EventKind;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Writes down for webhooks what happens to channels, in the transaction of the change. */
@Component
record ChannelMessages(DeliveryStore store, JsonMapper mapper) {
  @EventListener
  void take(ChannelEvent event) {
    ChannelState after = event.after();
    EventKind kind =
        switch (event.kind()) {
          case RELEASED -> EventKind.RELEASED;
          case STAGE_REACHED -> EventKind.STAGE_REACHED;
          case STOPPED -> EventKind.STOPPED;
        };
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("repository", after.channel().repository());
    data.put("channel", after.channel().name());
    data.put("version", after.version());
    data.put("release", after.release());
    ChannelState before = event.before();
    if (before != null) {
      data.put("before", before.release());
    }
    data.put("percentage", after.rollout().percentage());
    data.put("paused", after.rollout().isPaused());
    data.put("comment", after.comment());
    store.tell(after.channel().repository(), kind, mapper.writeValueAsString(data));
  }
}
