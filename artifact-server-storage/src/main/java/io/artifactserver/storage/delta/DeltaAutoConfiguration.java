package io.artifactserver.storage.delta;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Import;

/** The forms there are. Another one is a class that is imported here. */
@AutoConfiguration
@Import({CasyncIndexForm.class, ZsyncForm.class, CasyncPackForm.class})
public class DeltaAutoConfiguration {}
