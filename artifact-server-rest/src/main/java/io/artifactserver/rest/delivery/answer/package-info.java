/** Fields and bodies, composed and sent. */
@NullMarked
package io.artifactserver.rest.delivery.answer;

import org.jspecify.annotations.NullMarked;
