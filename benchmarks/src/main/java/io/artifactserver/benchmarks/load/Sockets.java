package io.artifactserver.benchmarks.load;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Local addresses of simulated devices: a fleet has many, and servers may limit each. */
final class Sockets {
  /** Addresses 127.0.1.1 to 127.0.1.200, if the server is on this machine too. */
  private static final int ADDRESSES = 200;

  private Sockets() {}

  /** How a device's connection is made. */
  static Connection.Opening device(Target target, int device, int receiveBuffer) {
    InetSocketAddress any = new InetSocketAddress(0);
    return Connection.Opening.device(
        target.address().getAddress().isLoopbackAddress() ? loopback(device) : any, receiveBuffer);
  }

  private static InetSocketAddress loopback(int device) {
    byte[] address = {127, 0, 1, (byte) (1 + device % ADDRESSES)};
    try {
      return new InetSocketAddress(InetAddress.getByAddress(address), 0);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("Four bytes are an address", e);
    }
  }
}
