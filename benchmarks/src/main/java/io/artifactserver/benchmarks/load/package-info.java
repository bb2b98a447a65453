/**
 * The load harness: a client process that measures servers over real sockets, ours and its peers in
 * interleaved rounds, and checks every byte they send.
 */
@NullMarked
package io.artifactserver.benchmarks.load;

import org.jspecify.annotations.NullMarked;
