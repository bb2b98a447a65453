package io.artifactserver.core.limit;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * A network of addresses, or one address. Immutable.
 *
 * @param address any of the network
 * @param prefixLength in bits
 */
public record Network(InetAddress address, int prefixLength) {
  /** Addresses of IPv6 that one customer has, by custom. */
  private static final int IPV6_CUSTOMER_BITS = 64;

  private static final int IPV4_BITS = 32;
  private static final Pattern PREFIX_LENGTH = Pattern.compile("[0-9]{1,3}");

  /**
   * Reads {@code address} or {@code address/prefixLength}. Names are not looked up.
   *
   * @throws IllegalArgumentException if the text is neither
   */
  public static Network parse(String text) {
    int slash = text.indexOf('/');
    String literal = slash < 0 ? text : text.substring(0, slash);
    if (literal.indexOf(':') < 0 && literal.split("\\.", -1).length != IPV4_BITS / Byte.SIZE) {
      // To Java 10.1 is 10.0.0.1.
      throw new IllegalArgumentException("%s is no address".formatted(literal));
    }
    InetAddress address = InetAddress.ofLiteral(literal);
    int bits = address.getAddress().length * Byte.SIZE;
    if (slash < 0) {
      return new Network(address, bits);
    }
    String length = text.substring(slash + 1);
    if (PREFIX_LENGTH.matcher(length).matches() && Integer.parseInt(length) <= bits) {
      return new Network(address, Integer.parseInt(length));
    }
    throw new IllegalArgumentException(
        "%s is not a network: the number after the slash must be 0 to %d".formatted(text, bits));
  }

  /** The smallest network that is one client's for sure: an IPv4 address, an IPv6 /64. */
  public static Network ofClient(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (bytes.length * Byte.SIZE == IPV4_BITS) {
      return new Network(address, IPV4_BITS);
    }
    Arrays.fill(bytes, IPV6_CUSTOMER_BITS / Byte.SIZE, bytes.length, (byte) 0);
    return new Network(ofBytes(bytes), IPV6_CUSTOMER_BITS);
  }

  /** Whether the address is in it. */
  public boolean contains(InetAddress other) {
    byte[] ours = address.getAddress();
    byte[] theirs = other.getAddress();
    if (ours.length != theirs.length) {
      return false;
    }
    int whole = prefixLength / Byte.SIZE;
    if (!Arrays.equals(ours, 0, whole, theirs, 0, whole)) {
      return false;
    }
    int rest = prefixLength % Byte.SIZE;
    return rest == 0 || ((ours[whole] ^ theirs[whole]) & (0xff << (Byte.SIZE - rest)) & 0xff) == 0;
  }

  /** As {@link #parse} reads it. */
  @Override
  public String toString() {
    return address.getHostAddress() + '/' + prefixLength;
  }

  private static InetAddress ofBytes(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes);
    } catch (java.net.UnknownHostException e) {
      throw new IllegalStateException("The bytes of an address have the length of one", e);
    }
  }
}
