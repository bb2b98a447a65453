package io.artifactserver.core.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which downloads a limit is of, and what is no limit. */
class NamedLimitTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // addresses               | roles            | callers      | role      | caller    |
        // address     | fits
        "                          |                  |              | anonymous |           |             | true",
        "10.1.0.0/16               |                  |              | anonymous |           | 10.1.2.3    | true",
        "10.1.0.0/16               |                  |              | anonymous |           | 10.2.2.3    | false",
        "10.1.0.0/16               |                  |              | anonymous |           |             | false",
        "10.2.0.0/16,10.1.0.0/16   |                  |              | device    | gateway-1 | 10.1.2.3    | true",
        "fd00::/8                  |                  |              | device    | gateway-1 | fdab::1     | true",
        "                          | device           |              | device    | gateway-1 |             | true",
        "                          | device           |              | anonymous |           |             | false",
        "                          | anonymous,reader |              | anonymous |           |             | true",
        "                          | anonymous,reader |              | admin     | me        |             | false",
        "                          |                  | gateway-*    | device    | gateway-1 |             | true",
        "                          |                  | gateway-*    | device    | gateway-  |             | true",
        "                          |                  | gateway-*    | device    | gateway   |             | false",
        "                          |                  | gateway-*    | anonymous |           |             | false",
        "                          |                  | *            | device    | any       |             | true",
        "                          |                  | *            | anonymous |           |             | false",
        "                          |                  | a,CN=b       | device    | CN=b      |             | true",
        "                          |                  | a,CN=b       | device    | CN=bb     |             | false",
        "10.1.0.0/16               | device           | gateway-*    | device    | gateway-1 | 10.1.2.3    | true",
        "10.1.0.0/16               | device           | gateway-*    | reader    | gateway-1 | 10.1.2.3    | false",
        "10.1.0.0/16               | device           | gateway-*    | device    | gateway-1 | 10.2.2.3    | false",
        "10.1.0.0/16               | device           | gateway-*    | device    | other     | 10.1.2.3    | false"
      })
  void fitsEachListThatIsNotEmpty(
      @Nullable String addresses,
      @Nullable String roles,
      @Nullable String callers,
      String role,
      @Nullable String caller,
      @Nullable String address,
      boolean fits) {
    NamedLimit limit =
        new NamedLimit(
            "site",
            1,
            entries(addresses).stream().map(Network::parse).toList(),
            entries(roles),
            entries(callers));
    Optional<InetAddress> from = Optional.ofNullable(address).map(InetAddress::ofLiteral);
    assertThat(limit.fits(role, caller == null ? "" : caller, from)).isEqualTo(fits);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE, 1_000_000_000_001L, Long.MAX_VALUE})
  void refusesBadRates(long rate) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new NamedLimit("site", rate, List.of(), List.of(), List.of()))
        .withMessageContaining("1000000000000");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-a", ".", "a b", "a/b", "a\0", "\u00e4", "%61"})
  void refusesBadNames(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new NamedLimit(name, 1, List.of(), List.of(), List.of()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new NamedLimit("a".repeat(65), 1, List.of(), List.of(), List.of()));
  }

  @Test
  void refusesBadLists() {
    for (String role : List.of("", "operator", "Device", "*")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new NamedLimit("site", 1, List.of(), List.of(role), List.of()));
    }
    for (String caller : List.of("", "a\nb", "a\0", "a".repeat(513))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new NamedLimit("site", 1, List.of(), List.of(), List.of(caller)));
    }
    List<Network> many = Collections.nCopies(101, Network.parse("10.0.0.0/8"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new NamedLimit("site", 1, many, List.of(), List.of()));
  }

  private static List<String> entries(@Nullable String text) {
    return text == null ? List.of() : Arrays.asList(text.split(",", -1));
  }
}
