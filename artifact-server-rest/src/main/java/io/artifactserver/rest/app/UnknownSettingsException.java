package io.artifactserver.rest.app;

import io.artifactserver.rest.app.SettingNames.UnknownSetting;
import java.util.List;
import java.util.stream.Collectors;

/** Names below {@code artifact-server} that are no setting's; the message lists them. */
final class UnknownSettingsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnknownSettingsException(List<UnknownSetting> settings) {
    super(settings.stream().map(UnknownSettingsException::line).collect(Collectors.joining("\n")));
  }

  private static String line(UnknownSetting setting) {
    return "%s (%s) %s".formatted(setting.name(), setting.origin(), setting.remedy());
  }
}
