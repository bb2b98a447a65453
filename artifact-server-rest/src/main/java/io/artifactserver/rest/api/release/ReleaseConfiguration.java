package io.artifactserver.rest.api.release;

import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.core.release.ChannelEvent;
import io.artifactserver.core.release.StageWatch;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.Consumer;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Wires the channels. */
@Configuration(proxyBeanMethods = false)
@Import(ChannelBook.class)
public class ReleaseConfiguration {
  /** Channels tell of their changes as Spring's events, to whoever listens. */
  @Bean
  Consumer<ChannelEvent> channelEvents(ApplicationEventPublisher events) {
    return events::publishEvent;
  }

  @Bean
  StageWatch stageWatch(MeterRegistry registry) {
    StageWatch watch = new StageWatch(System::nanoTime);
    Gauge.builder("artifact_server.stage.devices", watch, StageWatch::size)
        .description("Devices that were offered a staged release and are watched")
        .register(registry);
    FunctionCounter.builder("artifact_server.stage.unwatched", watch, StageWatch::lost)
        .description("Devices that were offered a staged release and found no room to be watched")
        .register(registry);
    return watch;
  }
}
