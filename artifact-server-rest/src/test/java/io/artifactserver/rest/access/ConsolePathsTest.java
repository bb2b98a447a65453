package io.artifactserver.rest.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConsolePathsTest {
  @Test
  void aPageGoesOnWhereItWas() {
    String query = "repository=boards&path=a%20b";
    assertThat(ConsolePaths.signInFor("GET", "/console/artifact", query))
        .hasValue("/login?next=%2Fconsole%2Fartifact%3Frepository%3Dboards%26path%3Da%2520b");
    assertThat(ConsolePaths.next("/console/artifact?" + query))
        .isEqualTo("/console/artifact?" + query);
  }

  @Test
  void onlyPagesLeadToTheSignIn() {
    assertThat(ConsolePaths.signInFor("POST", "/console/sign-out", null)).isEmpty();
    assertThat(ConsolePaths.signInFor("GET", "/console/events", null)).isEmpty();
    assertThat(ConsolePaths.signInFor("GET", "/console/assets/0/console.css", null)).isEmpty();
    assertThat(ConsolePaths.signInFor("GET", "/api/v1/tokens", null)).isEmpty();
    assertThat(ConsolePaths.signInFor("GET", "/consolex", null)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "/login",
        "//elsewhere.example.com/console/",
        "https://elsewhere.example.com/console/",
        "/console/\\elsewhere.example.com",
        "/console/\r\nSet-Cookie: a=b",
        "/console/\u202e",
        "/console/<b>",
        "/console/%zz"
      })
  void nothingElseIsAPageToGoOnWith(String next) {
    assertThat(ConsolePaths.next(next)).isEqualTo("/console/");
  }
}
