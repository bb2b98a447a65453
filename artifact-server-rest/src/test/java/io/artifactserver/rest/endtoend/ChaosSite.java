package io.artifactserver.rest.endtoend;

import io.artifactserver.core.testserver.S3ProxyServer;
import io.artifactserver.rest.endtoend.MixSite.Backend;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A packaged server that is stopped, killed and started again while clients use it. Thread-safe,
 * but for restarts and the end.
 */
final class ChaosSite implements AutoCloseable {
  /** How long the bytes of a deleted artifact stay: downloads may break off afterwards. */
  static final Duration GRACE_PERIOD = Duration.ofSeconds(2);

  private final Path data;
  private final Endpoint endpoint;
  private final @Nullable S3ProxyServer s3;
  private final List<String> storage;
  private final Path objects;

  /** Odd while the server stops, is dead or starts. */
  private final AtomicInteger moments = new AtomicInteger();

  private boolean isBroken;

  private ChaosSite(
      Path folder, Endpoint endpoint, @Nullable S3ProxyServer s3, List<String> storage) {
    this.data = folder.resolve("data");
    this.endpoint = endpoint;
    this.s3 = s3;
    this.storage = storage;
    this.objects = folder.resolve("s3").resolve("objects");
  }

  /** A server to visit. Together they speak every transport. */
  enum Server {
    FILE(Backend.FILE, false, Transport.TLS13),
    ENCRYPTED(Backend.ENCRYPTED, false, Transport.HTTP1),
    S3(Backend.S3, false, Transport.HTTP1),
    S3_CACHED(Backend.S3, true, Transport.TLS13);

    private final Backend backend;
    private final boolean isCached;
    private final Transport transport;

    Server(Backend backend, boolean isCached, Transport transport) {
      this.backend = backend;
      this.isCached = isCached;
      this.transport = transport;
    }

    boolean isEncrypted() {
      return backend == Backend.ENCRYPTED;
    }
  }

  /** Starts a server in an empty folder. */
  static ChaosSite start(Path folder, Server server) throws Exception {
    List<String> storage = new ArrayList<>();
    S3ProxyServer s3 = null;
    if (server.backend != Backend.FILE) {
      storage.add("--artifact-server.encryption.decrypted-cache-size=0");
    }
    if (server.backend == Backend.S3) {
      s3 = S3ProxyServer.start(folder.resolve("s3"));
      storage.addAll(MixSite.s3Arguments(s3));
    }
    if (server.isCached) {
      storage.add("--artifact-server.storage.cache.enabled=true");
    }
    storage.add("--artifact-server.retire.grace-period=" + GRACE_PERIOD.toSeconds() + "s");
    storage.add("--artifact-server.retire.sweep-interval=500ms");
    storage.add("--artifact-server.catalog.cache-ttl=500ms");
    storage.add("--artifact-server.encryption.check-interval=1s");
    storage.add("--artifact-server.download.revocation-check=1s");
    List<String> arguments = new ArrayList<>(storage);
    arguments.add(PackagedServer.EARLY_PORT);
    // Longer than the longest upload, however busy the machine is.
    arguments.add("--artifact-server.retire.orphan-age=30s");
    try {
      return new ChaosSite(
          folder,
          Endpoint.start(server.transport, folder, arguments.toArray(String[]::new)),
          s3,
          storage);
    } catch (Exception e) {
      if (s3 != null) {
        s3.close();
      }
      throw e;
    }
  }

  /** The server for clients of one of its transports, which take turns. */
  Endpoint endpoint(int client) {
    List<Transport> transports = endpoint.transport().ofOneServer();
    return endpoint.by(transports.get(client % transports.size()));
  }

  /** Returns the present moment, for {@link #isInterrupted}. */
  int moment() {
    return moments.get();
  }

  /** Whether the server was stopped or killed since the moment, or was not up then. */
  boolean isInterrupted(int moment) {
    return moment % 2 == 1 || moments.get() != moment;
  }

  /** Returns the present moment once the server is up. */
  synchronized int awaitUp() throws InterruptedException {
    while (moments.get() % 2 == 1) {
      if (isBroken) {
        throw new IllegalStateException("The server did not start again");
      }
      wait();
    }
    return moments.get();
  }

  /** Stops or kills the server, starts it again, and returns when it is healthy. */
  void restart(boolean isKilled) throws IOException, InterruptedException {
    moments.incrementAndGet();
    try {
      if (isKilled) {
        endpoint.server().kill();
      } else {
        endpoint.server().stop();
      }
      endpoint.server().restart();
    } catch (IOException | InterruptedException | RuntimeException e) {
      synchronized (this) {
        isBroken = true;
        notifyAll();
      }
      throw e;
    }
    synchronized (this) {
      moments.incrementAndGet();
      notifyAll();
    }
  }

  /** Stops the server, and starts another one on its folder that sweeps all that a crash left. */
  PackagedServer succeed() throws IOException, InterruptedException {
    endpoint.server().stop();
    List<String> arguments = new ArrayList<>(storage);
    arguments.add("--artifact-server.retire.orphan-age=1s");
    return PackagedServer.startOnNothing(data, arguments.toArray(String[]::new));
  }

  /** The folder with the objects of the bucket. */
  Optional<Path> bucket() {
    return s3 == null ? Optional.empty() : Optional.of(objects.resolve(MixSite.BUCKET));
  }

  @Override
  public void close() throws IOException {
    endpoint.close();
    if (s3 != null) {
      s3.close();
    }
  }
}
