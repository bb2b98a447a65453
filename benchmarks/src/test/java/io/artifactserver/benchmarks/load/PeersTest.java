package io.artifactserver.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The packages themselves need not be installed. */
class PeersTest {
  private static final Path FOLDER = Path.of("load");

  static List<Peers.Product> products() {
    return Peers.PRODUCTS;
  }

  @ParameterizedTest
  @MethodSource("products")
  void everyPlaceholderOfAConfigurationHasAValue(Peers.Product product) {
    assertThat(configuration(product, Optional.empty())).contains("4711").doesNotContain("${");
    assertThat(
            configuration(
                product,
                Optional.of(
                    new SelfSignedCertificate(Path.of("certificate.pem"), Path.of("key.pem")))))
        .contains("certificate.pem", "key.pem")
        .doesNotContain("${");
  }

  private static String configuration(
      Peers.Product product, Optional<SelfSignedCertificate> certificate) {
    Site site =
        new Site(
            FOLDER,
            FOLDER.resolve("www"),
            FOLDER.resolve("www/file"),
            certificate,
            Optional.empty(),
            false,
            2);
    return Peers.configuration(
        product, site, Peers.values(product, site, FOLDER.resolve(product.name()), 4711, 4712));
  }
}
