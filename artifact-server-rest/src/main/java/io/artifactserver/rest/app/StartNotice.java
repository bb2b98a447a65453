package io.artifactserver.rest.app;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Tells an operator where to go next. */
@Component
public class StartNotice {
  private static final Logger LOG = LoggerFactory.getLogger(StartNotice.class);

  @EventListener
  void listening(WebServerInitializedEvent event) {
    LOG.info(
        "Listening on port {}: devices at /artifacts, operators at /api/v1, described at"
            + " /swagger-ui/",
        event.getWebServer().getPort());
  }
}
