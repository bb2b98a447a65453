/** Webhooks: other servers are told what happens in a repository, at least once each. */
@NullMarked
package io.artifactserver.core.webhook;

import org.jspecify.annotations.NullMarked;
