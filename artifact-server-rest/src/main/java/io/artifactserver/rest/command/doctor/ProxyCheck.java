package io.artifactserver.rest.command.doctor;

import io.artifactserver.rest.server.guard.UnnamedProxiesFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Whether a running server has noticed a proxy that nobody named. Immutable, thread-safe. */
record ProxyCheck(Path dataFolder) {
  private static final String NAME = "proxies";
  private static final String SETTING = "artifact-server.connections.trusted-proxies";

  Finding finding() {
    List<String> addresses;
    try {
      addresses = new UnnamedProxiesFile(dataFolder).read();
    } catch (IOException e) {
      return Finding.warn(
          NAME, "unknown", "the data folder cannot be read here", "ls -l " + dataFolder);
    }
    if (addresses.isEmpty()) {
      return Finding.ok(NAME, "all named", "no other address sends requests from many clients");
    }
    String list = String.join(",", addresses);
    return Finding.warn(
        NAME,
        list,
        "sends requests from many clients, which count as one: one client's wrong tokens slow all the others",
        "%s=%s    # only if it is your own reverse proxy".formatted(SETTING, list));
  }
}
