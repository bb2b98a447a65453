package io.artifactserver.rest.endtoend;

/** {@link RangeSets} of files, plain and encrypted. */
@Transports(
    value = {Transport.HTTP1, Transport.H2},
    nightly = {Transport.H2C, Transport.TLS12, Transport.TLS13})
class RangeSetPropertyIT extends RangeSets {
  @Override
  int sets() {
    return 60;
  }
}
