/** The audit: what the control plane was asked to change, by whom, and what came of it. */
@NullMarked
package io.artifactserver.rest.api.audit;

import org.jspecify.annotations.NullMarked;
