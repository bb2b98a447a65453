package io.artifactserver.rest.command.client;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;

/** Whether a token can be sent to a server without others reading it. Pure functions. */
public final class TokenSafety {
  private TokenSafety() {}

  /** Whether what is sent there never leaves this machine. Asks for the address of the host. */
  public static boolean isThisMachine(URI server) {
    try {
      return InetAddress.getByName(server.getHost()).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
