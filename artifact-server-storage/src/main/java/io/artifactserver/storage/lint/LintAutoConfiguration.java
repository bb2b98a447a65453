package io.artifactserver.storage.lint;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Import;

/** Wires the advice about artifacts. */
@AutoConfiguration
@Import(FormatLint.class)
public class LintAutoConfiguration {}
