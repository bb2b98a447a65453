package io.artifactserver.rest.command.doctor;

import java.util.List;

/**
 * Whether the server knows which client a request comes from. Immutable, thread-safe.
 *
 * @param peer where the connection to the server comes from
 * @param address of the client, as the server believes
 * @param forwardedFor the lines of X-Forwarded-For that arrived
 * @param isNear whether the peer is this machine
 */
record ClientAddressCheck(String peer, String address, List<String> forwardedFor, boolean isNear) {
  static final String NAME = "client address";

  /** An address that nobody has (RFC 5737), and that the request claims to come from. */
  static final String CLAIMED = "192.0.2.7";

  private static final String SETTING = "artifact-server.connections.trusted-proxies=";

  Finding finding() {
    String arrived = String.join(", ", forwardedFor);
    if (address.equals(CLAIMED)) {
      return Finding.fail(
          NAME,
          address,
          "anybody can choose an address, and with it a limit: a named proxy passes X-Forwarded-For on as the client wrote it",
          "let the proxy replace the field: docs/front.md");
    }
    if (arrived.isEmpty()) {
      return Finding.fail(
          NAME,
          address,
          "a proxy takes X-Forwarded-For away and says nothing of its client: all clients are one",
          "let the proxy set the field: docs/front.md");
    }
    if (arrived.equals(CLAIMED)) {
      return isNear
          ? Finding.ok(NAME, address, "no proxy is on the way, or none that speaks HTTP")
          : Finding.warn(
              NAME,
              address,
              "no proxy says whom it speaks for: right if this is the address of your network",
              "compare it with the address of your network");
    }
    String last = arrived.substring(arrived.lastIndexOf(',') + 1).strip();
    // A client on the proxy's own machine has its address.
    return address.equals(peer) && !address.equals(last)
        ? Finding.fail(
            NAME,
            address,
            "the server does not believe the proxy, so all its clients are one; it says \"%s\""
                .formatted(arrived),
            SETTING + peer + "    # only if it is your own proxy")
        : Finding.ok(NAME, address, "as the proxy at %s says".formatted(peer));
  }
}
