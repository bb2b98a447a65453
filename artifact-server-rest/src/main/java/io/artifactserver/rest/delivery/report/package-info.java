/** Reports of a download: progress, hawkBit, metrics. */
@NullMarked
package io.artifactserver.rest.delivery.report;

import org.jspecify.annotations.NullMarked;
