package io.artifactserver.core.testserver;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * S3Proxy, a server of the S3 protocol, as a process of its own. It keeps objects in a folder, so
 * they outlive a kill. Used by one thread. The build copies its jar; see the POM's {@code s3proxy}.
 */
public final class S3ProxyServer implements AutoCloseable {
  /** Names the credentials. */
  public static final String ACCESS_KEY = "test-identity";

  /** Only this test's server takes it. */
  public static final String SECRET_KEY = "test-credential";

  private static final String JAR_PROPERTY = "s3proxy.jar";
  private static final int START_SECONDS = 240;

  private final Path folder;
  private final int port;
  private Process process;

  private S3ProxyServer(Path folder, int port, Process process) {
    this.folder = folder;
    this.port = port;
    this.process = process;
  }

  /**
   * Starts a server on a free port.
   *
   * @param folder exists; objects go in it
   */
  public static S3ProxyServer start(Path folder) throws IOException {
    Files.createDirectories(folder.resolve("objects"));
    int port = Ports.reserve();
    S3ProxyServer server = new S3ProxyServer(folder, port, launch(folder, port));
    server.awaitListening();
    return server;
  }

  /** Its address. */
  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + port);
  }

  /** The port it listens on, when it runs. */
  public int port() {
    return port;
  }

  /** Ends it as a power cut would. */
  public void kill() throws IOException {
    process.destroyForcibly();
    try {
      if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("S3Proxy does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** Starts it again after {@link #kill}, on the same port and folder. */
  public void restart() throws IOException {
    process = launch(folder, port);
    awaitListening();
  }

  @Override
  public void close() throws IOException {
    kill();
  }

  private static Process launch(Path folder, int port) throws IOException {
    String jar = System.getProperty(JAR_PROPERTY, "");
    if (!Files.isRegularFile(Path.of(jar))) {
      throw new IOException(
          "The system property %s names no file (\"%s\"): run the tests with Maven, which fetches it"
              .formatted(JAR_PROPERTY, jar));
    }
    Path configuration = folder.resolve("s3proxy.properties");
    Files.write(
        configuration,
        List.of(
            "s3proxy.endpoint=http://127.0.0.1:" + port,
            "s3proxy.authorization=aws-v2-or-v4",
            "s3proxy.identity=" + ACCESS_KEY,
            "s3proxy.credential=" + SECRET_KEY,
            "s3proxy.v4-max-non-chunked-request-size=268435456",
            "jclouds.provider=filesystem-nio2",
            "jclouds.filesystem.basedir=" + folder.resolve("objects")));
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-jar",
            jar,
            "--properties",
            configuration.toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("s3proxy.log").toFile()))
        .start();
  }

  private void awaitListening() throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (true) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        if (socket.isConnected()) {
          return;
        }
      } catch (IOException e) {
        if (!process.isAlive() || System.nanoTime() - deadline >= 0) {
          throw new IOException(
              "S3Proxy does not start:\n" + Files.readString(folder.resolve("s3proxy.log")), e);
        }
      }
      try {
        process.waitFor(50, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
    }
  }
}
