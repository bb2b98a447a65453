package io.artifactserver.rest.delivery.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.rest.http.FieldMutator;
import io.artifactserver.rest.http.RequestPath;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** {@link Addresses} under {@value #INPUTS} mutated real paths, the same in every build. */
class AddressesFuzzTest {
  private static final int INPUTS = 200_000;
  private static final String SHA_1 = "0123456789abcdef0123456789ABCDEF01234567";
  private static final List<String> CORPUS =
      List.of(
          "/artifacts/fleet/board/fw-1.0.img",
          "/artifacts/fleet/a%20b/%E2%82%AC",
          "/artifacts/fleet",
          "/artifacts/fleet/@stable/board/fw-1.0.img",
          "/poll/rauc/fleet/stable/board/fw-1.0.raucb",
          "/poll/swupdate/fleet/stable/fw%201.0.swu",
          "/blobs/sha256/" + "0123456789abcdef".repeat(4),
          "/DEFAULT/controller/v1/device-1/softwaremodules/7/artifacts/app.bin",
          "/default/controller/v1/device-1/softwaremodules/7/artifacts/app.bin.MD5SUM",
          "/DEFAULT/sha1/" + SHA_1 + "/app.bin",
          "/other/sha1/" + SHA_1 + "/app.bin",
          "/actuator/health",
          "*");
  private static final List<String> WORDS =
      List.of(
          "/",
          "//",
          "/../",
          "%2F",
          "%",
          "%00",
          "/artifacts/",
          "/blobs/sha256/",
          "/DEFAULT/",
          "controller",
          "sha1",
          "v1",
          "softwaremodules",
          "%7BfileName%7D",
          "{fileName}",
          "K",
          "\u0130",
          "\u212a",
          "..",
          "fleet",
          SHA_1);

  private final Addresses addresses =
      new Addresses(
          new HawkbitProperties(Map.of("default", "fleet"), "{softwareModuleId}/{fileName}"), true);

  @Test
  void everyPathNamesSomethingOrNothingOrBreaksARule() {
    FieldMutator mutator = new FieldMutator(1, CORPUS, WORDS);
    int named = 0;
    for (int i = 0; i < INPUTS; i++) {
      String path = mutator.next();
      if (addresses.isTarget(path)) {
        named += isNamed(path) ? 1 : 0;
      }
    }
    assertThat(named).as("inputs that name something").isGreaterThan(INPUTS / 20);
  }

  private boolean isNamed(String path) {
    Optional<Target> target;
    try {
      target = addresses.parse(path);
    } catch (InvalidNameException e) {
      assertThat(e.getMessage()).as(path).isNotBlank();
      return false;
    }
    switch (target.orElse(null)) {
      case null -> {
        // Names nothing.
      }
      case Target.OfArtifact(ArtifactId id) -> requireOwnAddress(path, id);
      case Target.OfChannel(var channel, var name, _) -> {
        assertThat(
                addresses.parse(
                    "/artifacts/"
                        + channel.repository()
                        + "/@"
                        + channel.name()
                        + '/'
                        + RequestPath.encode(name)))
            .as(path)
            .isEqualTo(target);
        assertThat(name).as(path).isNotEmpty();
      }
      case Target.OfPoll(var agent, var channel, var name, _) ->
          assertThat(
                  addresses.parse(
                      "/poll/"
                          + agent.name().toLowerCase(Locale.ROOT)
                          + '/'
                          + channel.repository()
                          + '/'
                          + channel.name()
                          + '/'
                          + RequestPath.encode(name)))
              .as(path)
              .isEqualTo(target);
      case Target.OfReport report -> throw new AssertionError(report);
      case Target.OfContent(var digest) ->
          assertThat(path).endsWithIgnoringCase("/blobs/sha256/" + digest.hex());
      case Target.OfContentIn(var digest, var repository, var fileName) -> {
        assertThat(repository).as(path).isEqualTo("fleet");
        assertThat(fileName).as(path).isNotEmpty().doesNotContain("/");
        assertThat(path).containsIgnoringCase(digest.hex());
      }
      case Target.Granted(var tenant, var controllerId, var softwareModuleId, var fileName) -> {
        assertThat(tenant).as(path).matches("[A-Za-z0-9_][A-Za-z0-9._-]*");
        assertThat(controllerId).as(path).isNotIn("", ".", "..").doesNotContain("/", "\n", "\0");
        assertThat(softwareModuleId).as(path).matches("[0-9]+");
        assertThat(fileName).as(path).isNotEmpty().doesNotContain("/");
      }
    }
    return target.isPresent();
  }

  /** Every name has an address of the plain form that names it again. */
  private void requireOwnAddress(String path, ArtifactId id) {
    String own = "/artifacts/" + id.repository() + '/' + RequestPath.encode(id.path());
    assertThat(addresses.parse(own)).as(path).contains(new Target.OfArtifact(id));
  }
}
