package io.artifactserver.rest.app;

import io.artifactserver.rest.app.SettingNames.UnknownSetting;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.stereotype.Component;

/**
 * Stops the start if there is a name below {@code artifact-server} that is no setting's: before any
 * other bean is made, and so before a file or a database is touched.
 */
@Component
final class SettingNamesCheck implements BeanFactoryPostProcessor {
  /** Settings that are read by their names alone, whether or not a record has them. */
  private static final List<String> READ_BY_NAME =
      List.of(SettingNames.ROOT + ".data-dir", SettingNames.ROOT + ".storage.backend");

  /** Settings of earlier versions, and what is to be done with each. */
  private static final Map<String, String> RETIRED =
      Map.of(
          SettingNames.ROOT + ".tls.provider",
          "is no longer a setting: TLS is always Java's own (JSSE). Remove it.");

  /**
   * @throws UnknownSettingsException if there are such names
   */
  @Override
  public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
    SettingNames names = new SettingNames();
    READ_BY_NAME.forEach(names::add);
    RETIRED.forEach(names::retire);
    for (String bean : beans.getBeanDefinitionNames()) {
      ConfigurationProperties properties =
          beans.findAnnotationOnBean(bean, ConfigurationProperties.class, false);
      Class<?> type = properties == null ? null : beans.getType(bean, false);
      if (properties != null && type != null && isBelowRoot(properties.prefix())) {
        names.addAll(properties.prefix(), type);
      }
    }
    // Asked for here: what runs this early gets nothing injected.
    ConfigurableEnvironment environment = beans.getBean(ConfigurableEnvironment.class);
    List<UnknownSetting> unknown = names.unknownIn(environment.getPropertySources());
    if (!unknown.isEmpty()) {
      throw new UnknownSettingsException(unknown);
    }
  }

  private static boolean isBelowRoot(String prefix) {
    return prefix.equals(SettingNames.ROOT) || prefix.startsWith(SettingNames.ROOT + ".");
  }
}
