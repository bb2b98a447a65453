/** Webhooks: their API, and the client that posts signed messages. */
@NullMarked
package io.artifactserver.rest.api.webhook;

import org.jspecify.annotations.NullMarked;
