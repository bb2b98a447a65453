@NullMarked
package io.artifactserver.rest.delivery.body;

import org.jspecify.annotations.NullMarked;
