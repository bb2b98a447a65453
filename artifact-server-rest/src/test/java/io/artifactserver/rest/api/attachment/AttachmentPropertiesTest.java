package io.artifactserver.rest.api.attachment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.attachment.AttachmentBounds;
import io.artifactserver.core.attachment.AttachmentKind;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.util.unit.DataSize;

class AttachmentPropertiesTest {
  private static AttachmentProperties bind(Map<String, String> values) {
    return new Binder(new MapConfigurationPropertySource(values))
        .bindOrCreate("artifact-server.attachments", AttachmentProperties.class);
  }

  @Test
  void defaultsAndNames() {
    AttachmentBounds bounds = bind(Map.of()).bounds();
    assertThat(bounds).isEqualTo(new AttachmentBounds(4 << 20, 32, 1L << 30));
    assertThat(bounds.maxLength(AttachmentKind.SBOM)).isEqualTo(4 << 20);
    assertThat(bounds.maxLength(AttachmentKind.SIGNATURE)).isEqualTo(16 << 10);
    assertThat(
            bind(
                Map.of(
                    "artifact-server.attachments.max-size", "5MB",
                    "artifact-server.attachments.max-count", "3",
                    "artifact-server.attachments.max-total-size", "7GB")))
        .isEqualTo(new AttachmentProperties(DataSize.ofMegabytes(5), 3, DataSize.ofGigabytes(7)));
  }

  @Test
  void bounds() {
    DataSize some = DataSize.ofBytes(1);
    assertThatThrownBy(() -> new AttachmentProperties(DataSize.ofMegabytes(65), 1, some))
        .hasMessageContaining("max-size");
    assertThatThrownBy(() -> new AttachmentProperties(some, -1, some))
        .hasMessageContaining("max-count");
    assertThatThrownBy(() -> new AttachmentProperties(some, 1, DataSize.ofBytes(-1)))
        .hasMessageContaining("max-total-size");
  }
}
