package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.ServerDescription;
import io.artifactserver.benchmarks.load.Scenario.Door;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * nginx, Caddy or Apache from its Debian package, with a configuration of the harness. All of them:
 * no access log, no limit to the requests of a connection, keep-alive of 300 s, room for 10,000
 * connections, as many workers as the machine has cores where that can be said, and defaults for
 * the rest.
 */
final class Peers {
  private static final Duration START = Duration.ofSeconds(30);
  private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([a-z0-9]+)}");

  /** nginx's settings for sending files: which is best depends on the workload, so all are run. */
  static final List<Product> PRODUCTS =
      List.of(
          nginx("nginx nopush-on", "sendfile on;  tcp_nopush on;"),
          nginx("nginx nopush-off", "sendfile on;  tcp_nopush off;"),
          nginx("nginx no-sendfile", "sendfile off;"),
          new Product(
              "caddy",
              "caddy",
              "caddy",
              "version",
              "Caddyfile",
              "run --config ${file} --adapter caddyfile",
              ""),
          new Product(
              "apache", "apache", "apache2", "-v", "apache.conf", "-f ${file} -DFOREGROUND", ""));

  private Peers() {}

  /**
   * One of them.
   *
   * @param family what {@code --against} calls it
   * @param executable which Debian's package is named after
   * @param version argument that makes it tell its version
   * @param template of the configuration, a resource
   * @param arguments separated by spaces
   * @param directives in the template
   */
  record Product(
      String name,
      String family,
      String executable,
      String version,
      String template,
      String arguments,
      String directives) {}

  private static Product nginx(String name, String directives) {
    return new Product(
        name, "nginx", "nginx", "-v", "nginx.conf", "-e ${own}/error.log -c ${file}", directives);
  }

  /**
   * Starts those of a family, and waits until they listen.
   *
   * @throws UsageException if the package is missing
   */
  static List<Server> start(String family, Site site) {
    site.checkReadable();
    List<Server> started =
        PRODUCTS.stream()
            .filter(product -> product.family.equals(family))
            .map(product -> start(product, site))
            .toList();
    if (started.isEmpty()) {
      throw new UsageException(
          "--against knows nginx, caddy and apache, not \"%s\"".formatted(family));
    }
    return started;
  }

  private static Server start(Product product, Site site) {
    String executable = Program.find(product.executable, product.executable).toString();
    String label = product.name.replace(' ', '-');
    Path own = site.folder().resolve(label);
    Path file = own.resolve(product.template);
    int http1 = Program.freePort();
    // nginx alone has another port for HTTP/2 in the clear.
    int http2 = product.family.equals("nginx") && !site.tls() ? Program.freePort() : http1;
    Map<String, String> values = values(product, site, own, http1, http2);
    String configuration = configuration(product, site, values);
    try {
      Files.createDirectories(own);
      Files.writeString(file, configuration);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot write " + file, e);
    }
    List<String> command = new ArrayList<>(List.of(executable));
    command.addAll(List.of(filledIn(product.arguments, values).split(" ")));
    String home = own.toString();
    Program program =
        Program.start(
            product.name,
            command,
            Map.of("HOME", home, "XDG_CONFIG_HOME", home, "XDG_DATA_HOME", home),
            site.folder().resolve(label + ".log"));
    try {
      program.awaitPort(http1, START);
    } catch (RuntimeException e) {
      program.close();
      throw e;
    }
    Target open = target(site, http1);
    return new Server(
        new ServerDescription(
            product.name,
            product.family,
            false,
            Program.output(List.of(executable, product.version)),
            configuration.replace(site.folder().toString(), "FOLDER")),
        Map.of(Door.OPEN, open, Door.TOKEN, open, Door.HTTP2, target(site, http2)),
        ServerProbe.of(program.pid()),
        program::close);
  }

  /** Values for the placeholders of the templates. */
  static Map<String, String> values(Product product, Site site, Path own, int http1, int http2) {
    Map<String, String> values = new HashMap<>();
    values.put("cores", Integer.toString(site.cores()));
    values.put("own", own.toString());
    values.put("file", own.resolve(product.template).toString());
    values.put("www", site.www().toString());
    values.put("directives", product.directives);
    values.put("scheme", site.scheme());
    values.put("http1", Integer.toString(http1));
    values.put("http2", Integer.toString(http2));
    site.certificate()
        .ifPresent(pem -> {
          values.put("certificate", pem.certificate().toString());
          values.put("key", pem.key().toString());
        });
    return values;
  }

  static String configuration(Product product, Site site, Map<String, String> values) {
    return filledIn(lines(product.template, site), values);
  }

  /** The template without the lines of another kind of site: they begin with their kind. */
  private static String lines(String template, Site site) {
    try (InputStream in = Objects.requireNonNull(Peers.class.getResourceAsStream(template))) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      String transport = site.tls() ? "tls" : "plain";
      String here = Site.isRoot() ? transport + "|root" : transport;
      return text.replaceAll("(?m)^#(%s) ".formatted(here), "")
          .replaceAll("(?m)^#(tls|plain|root) .*\n", "");
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read " + template, e);
    }
  }

  private static String filledIn(String template, Map<String, String> values) {
    return PLACEHOLDER
        .matcher(template)
        .replaceAll(found ->
            Matcher.quoteReplacement(
                Objects.requireNonNull(
                    values.get(found.group(1)), "No value for " + found.group())));
  }

  private static Target target(Site site, int port) {
    return new Target(
        URI.create(
            "%s://127.0.0.1:%d/%s".formatted(site.scheme(), port, site.file().getFileName())),
        "");
  }
}
