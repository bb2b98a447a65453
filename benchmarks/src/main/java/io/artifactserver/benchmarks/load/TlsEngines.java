package io.artifactserver.benchmarks.load;

import javax.net.ssl.SSLEngine;

/** Makes the client side of TLS connections. Thread-safe. */
@FunctionalInterface
interface TlsEngines {
  SSLEngine engine();
}
