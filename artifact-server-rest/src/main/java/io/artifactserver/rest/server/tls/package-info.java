/** Connections of the data plane and the control plane: TLS, certificates, HTTP/2. */
@NullMarked
package io.artifactserver.rest.server.tls;

import org.jspecify.annotations.NullMarked;
