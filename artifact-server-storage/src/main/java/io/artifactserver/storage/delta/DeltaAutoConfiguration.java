package io.artifactserver.storage.delta;

import io.artifactserver.core.derive.DerivedForm;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** The forms there are. Another one is a class and a bean here. */
@AutoConfiguration
public class DeltaAutoConfiguration {
  @Bean
  DerivedForm casyncIndex() {
    return new CasyncIndexForm();
  }

  @Bean
  DerivedForm zsyncControlFile() {
    return new ZsyncForm();
  }

  @Bean
  DerivedForm casyncPack() {
    return new CasyncPackForm();
  }
}
