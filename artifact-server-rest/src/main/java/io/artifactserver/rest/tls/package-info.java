/** Connections of the data plane and the control plane: TLS, certificates, HTTP/2. */
@NullMarked
package io.artifactserver.rest.tls;

import org.jspecify.annotations.NullMarked;
