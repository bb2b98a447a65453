/** Attachments in the API. */
@NullMarked
package io.artifactserver.rest.api.attachment;

import org.jspecify.annotations.NullMarked;
