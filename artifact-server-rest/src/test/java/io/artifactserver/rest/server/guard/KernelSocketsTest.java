package io.artifactserver.rest.server.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelSocketsTest {
  @TempDir private Path folder;

  @Test
  void readsAddressesOfBothKinds() throws IOException {
    Path tcp =
        table(
            "   0: 0100007F:1F90 0200007F:D431 01 0000ABCD:00000001 00:00000000 00000000     0"
                + "        0 1 1 0 20 4 30 10 -1");
    Path tcp6 =
        table(
            "   0: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000300007F:D432 01"
                + " 00000010:00000000 00:00000000 00000000     0        0 1 1 0",
            "  11: 000080FE00000000FF005450B6AD1DFE:1F90 B80D0120000000000000000001000000:0050 08"
                + " 00000020:00000000 00:00000000 00000000     0        0 1 1 0");
    KernelSockets sockets = KernelSockets.read(List.of(tcp, tcp6));
    assertThat(sockets.unconfirmed(8080, address("127.0.0.2", 54321))).contains(0xABCDL);
    assertThat(sockets.unconfirmed(8080, address("127.0.0.3", 54322))).contains(0x10L);
    assertThat(sockets.unconfirmed(8080, address("2001:db8::1", 80))).contains(0x20L);
    assertThat(sockets.isClosedByPeer(8080, address("2001:db8::1", 80))).isTrue();
    assertThat(sockets.isClosedByPeer(8080, address("127.0.0.2", 54321))).isFalse();
    assertThat(sockets.isClosedByPeer(8081, address("2001:db8::1", 80))).isFalse();
    assertThat(sockets.isMissing(8080, address("127.0.0.2", 54321))).isFalse();
    assertThat(sockets.isMissing(8080, address("127.0.0.2", 54322))).isTrue();
    // The table has no socket of this port at all, so it says nothing about this one.
    assertThat(sockets.isMissing(8081, address("127.0.0.2", 54321))).isFalse();
    assertThat(sockets.unconfirmed(8081, address("127.0.0.2", 54321))).isEmpty();
  }

  @Test
  void knowsNothingWhereThereIsNoTableOrAnother() throws IOException {
    assertThat(
            KernelSockets.read(List.of(folder.resolve("none"), table("not at all the format")))
                .unconfirmed(8080, address("127.0.0.2", 54321)))
        .isEmpty();
  }

  private Path table(String... lines) throws IOException {
    Path file = Files.createTempFile(folder, "tcp", "");
    return Files.write(
        file,
        ("  sl  local_address rem_address   st\n" + String.join("\n", lines))
            .getBytes(StandardCharsets.US_ASCII));
  }

  private static InetSocketAddress address(String literal, int port) {
    return new InetSocketAddress(InetAddress.ofLiteral(literal), port);
  }
}
