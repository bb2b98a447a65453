package io.artifactserver.benchmarks.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;

/** The sockets of simulated devices: a fleet has many addresses, and servers may limit each. */
final class Sockets {
  /** Addresses 127.0.1.1 to 127.0.1.200, if the server is on this machine too. */
  private static final int ADDRESSES = 200;

  private Sockets() {}

  /** How a device's connection is made. */
  static Opening device(Target target, int device, int receiveBuffer) {
    InetSocketAddress any = new InetSocketAddress(0);
    return Opening.device(
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

  /** Closes it with a reset, so that no address stays in use. */
  static void reset(SocketChannel channel) {
    try {
      channel.setOption(StandardSocketOptions.SO_LINGER, 0);
    } catch (IOException e) {
      // It is closed by the server already.
    }
    try {
      channel.close();
    } catch (IOException e) {
      throw new IllegalStateException("Cannot close a socket", e);
    }
  }
}
