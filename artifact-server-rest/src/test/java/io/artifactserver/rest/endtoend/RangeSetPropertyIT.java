package io.artifactserver.rest.endtoend;

import io.artifactserver.core.nightly.Nightly;

/** {@link RangeSets} of files, plain and encrypted. */
@Transports(
    value = {Transport.HTTP1, Transport.H2},
    nightly = {Transport.H2C, Transport.TLS12, Transport.TLS13})
class RangeSetPropertyIT extends RangeSets {
  @Override
  int sets() {
    return Nightly.IS_NOW ? 60 : 30;
  }
}
