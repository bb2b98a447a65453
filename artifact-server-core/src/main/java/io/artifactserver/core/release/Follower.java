package io.artifactserver.core.release;

import io.artifactserver.core.catalog.Labels;
import java.net.InetAddress;
import java.util.Optional;

/**
 * A device that follows a channel. Immutable.
 *
 * @param name of the device, by which it has its place in a release; empty if nobody knows it
 * @param caller name of its token or certificate; empty if it has none
 * @param labels of its token
 * @param isMember whether its token or certificate is for the channel's repository; anybody may
 *     follow a channel of a public one
 * @param address empty if nobody knows
 */
public record Follower(
    String name, String caller, Labels labels, boolean isMember, Optional<InetAddress> address) {}
