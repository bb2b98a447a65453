package io.artifactserver.rest.api.attachment;

import io.artifactserver.core.attachment.AttachmentStore;
import io.artifactserver.core.attachment.Attachments;
import io.artifactserver.core.attachment.DocumentReader;
import io.artifactserver.core.attachment.ReleaseSignatures;
import io.artifactserver.core.attachment.SignatureVerifier;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.release.ChannelBook;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Wires the attachments. */
@Configuration(proxyBeanMethods = false)
@Import(ReleaseSignatures.class)
public class AttachmentConfiguration {
  @Bean
  Attachments attachments(
      AttachmentStore store,
      DocumentReader reader,
      SignatureVerifier verifier,
      BlobStores stores,
      ChannelBook channels,
      AttachmentProperties properties,
      InstantSource clock) {
    return new Attachments(store, reader, verifier, stores, channels, properties.bounds(), clock);
  }
}
