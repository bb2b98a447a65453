package io.artifactserver.benchmarks.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;

/** How a connection is made. */
interface Opening {
  /** As the system makes them. */
  Opening PLAIN = channel -> {};

  /** Sets what must be set before connecting. */
  void prepare(SocketChannel channel) throws IOException;

  /** From this local address, with a small receive buffer, as a device has it. */
  static Opening device(InetSocketAddress from, int receiveBuffer) {
    return channel -> {
      channel.setOption(StandardSocketOptions.SO_RCVBUF, receiveBuffer);
      channel.bind(from);
    };
  }
}
