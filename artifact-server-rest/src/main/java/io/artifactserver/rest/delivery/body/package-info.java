/** Bodies of downloads: where their pieces come from, and how they are sent one by one. */
@NullMarked
package io.artifactserver.rest.delivery.body;

import org.jspecify.annotations.NullMarked;
