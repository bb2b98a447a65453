package io.artifactserver.rest.delivery.answer;

import io.artifactserver.rest.delivery.body.Throttle;
import io.artifactserver.rest.delivery.body.TransferObserver;
import io.artifactserver.rest.delivery.resolve.Served;
import io.artifactserver.rest.front.Exchange;

/**
 * A body on its way to its transfer. Immutable.
 *
 * @param observer is told of it
 */
record Sending(
    Exchange exchange, Served served, Body body, TransferObserver observer, Throttle throttle) {}
