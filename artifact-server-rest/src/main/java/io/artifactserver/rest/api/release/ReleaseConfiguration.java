package io.artifactserver.rest.api.release;

import io.artifactserver.core.release.ChannelBook;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Wires the channels. */
@Configuration(proxyBeanMethods = false)
@Import(ChannelBook.class)
public class ReleaseConfiguration {}
