package io.artifactserver.core.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.artifactserver.core.access.LinkRefusedException.Reason;
import io.artifactserver.core.access.LinkTerms.Method;
import io.artifactserver.core.catalog.ArtifactId;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Signed links, and every way to bend one. */
class SignedLinkTest {
  private static final Instant NOW = Instant.parse("2026-11-24T12:00:00Z");
  private static final long EXPIRES = NOW.getEpochSecond() + 3600;
  private static final ArtifactId ARTIFACT = new ArtifactId("boards", "board a/1.0/fw.img");
  private static final LinkKeys KEYS =
      LinkKeys.parse("0a1b2c3d " + "00112233".repeat(8) + " 2026-11-24T00:00:00Z\n");
  private static final LinkRules RULES = new LinkRules(Duration.ofDays(7), Duration.ofSeconds(30));
  private static final LinkTerms ALL =
      new LinkTerms(ARTIFACT, Method.GET, EXPIRES, NOW.getEpochSecond(), 20_000, "device:7");

  @Test
  void theDocumentedLinkIsTheOneThatIsMade() {
    // docs/access.md computes the same with openssl.
    assertThat(KEYS.signing().sign(ALL))
        .isEqualTo(
            "as-method=GET&as-expires=1795525200&as-not-before=1795521600&as-rate=20000"
                + "&as-device=device:7&as-key=0a1b2c3d"
                + "&as-signature=4UaAA9-S9BocFI8wCGDLuKs5XI2GLSF6VriR20DJWvQ");
  }

  @Test
  void isGoodForWhatItSays() {
    String query = KEYS.signing().sign(ALL);
    assertThatCode(() -> verify(ARTIFACT, query, "GET", NOW)).doesNotThrowAnyException();
    assertThatCode(() -> verify(ARTIFACT, query, "HEAD", NOW)).doesNotThrowAnyException();
    assertThat(read(query)).isEqualTo(ALL);
    LinkTerms least = new LinkTerms(ARTIFACT, Method.HEAD, EXPIRES, 0, 0, "");
    assertThat(read(KEYS.signing().sign(least))).isEqualTo(least);
  }

  @Test
  void noCharacterOfTheQueryMayBeAnother() {
    String query = KEYS.signing().sign(ALL);
    for (int i = 0; i < query.length(); i++) {
      for (int bit = 1; bit < 0x80; bit <<= 1) {
        StringBuilder bent = new StringBuilder(query);
        bent.setCharAt(i, (char) (query.charAt(i) ^ bit));
        String text = bent.toString();
        assertThatExceptionOfType(LinkRefusedException.class)
            .as(text)
            .isThrownBy(() -> verify(ARTIFACT, text, "GET", NOW));
      }
    }
  }

  @Test
  void noCharacterMayBeMissingOrTwice() {
    String query = KEYS.signing().sign(ALL);
    for (int i = 0; i < query.length(); i++) {
      String without = query.substring(0, i) + query.substring(i + 1);
      String twice = query.substring(0, i) + query.charAt(i) + query.substring(i);
      assertThatExceptionOfType(LinkRefusedException.class)
          .isThrownBy(() -> verify(ARTIFACT, without, "GET", NOW));
      assertThatExceptionOfType(LinkRefusedException.class)
          .isThrownBy(() -> verify(ARTIFACT, twice, "GET", NOW));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "boards2|board a/1.0/fw.img",
        "board|s/board a/1.0/fw.img",
        "boards|board a/1.0/fw.img2",
        "boards|board a/1.0/fw.im",
        "boards|board a/1.0",
        "boards|board a/1.0/fw.img/x",
        "boards|board%20a/1.0/fw.img",
        "boards|Board a/1.0/fw.img",
      })
  void isForNoOtherArtifact(String other) {
    String[] parts = other.split("\\|", 2);
    ArtifactId id = new ArtifactId(parts[0], parts[1]);
    String query = KEYS.signing().sign(ALL);
    assertThat(refusal(id, query, "GET", NOW)).isEqualTo(Reason.NOT_SIGNED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "&x=1",
        "&",
        "&utm_source",
        "&as-expires=9999999999",
        "&as-signature=x",
        "&%61s-rate=1",
        "#x"
      })
  void nothingMayBeAppended(String appended) {
    assertThat(refusal(ARTIFACT, KEYS.signing().sign(ALL) + appended, "GET", NOW))
        .isEqualTo(Reason.MALFORMED);
  }

  @Test
  void whatIsAllowedByNameMayBeAppended() throws LinkRefusedException {
    String query = KEYS.signing().sign(ALL) + "&edge=7&edge&trace=a%20b";
    assertThat(SignedLink.parse(ARTIFACT, query, Set.of("edge", "trace")).terms()).isEqualTo(ALL);
    assertThatExceptionOfType(LinkRefusedException.class)
        .isThrownBy(() -> SignedLink.parse(ARTIFACT, query + "&x=1", Set.of("edge", "trace")));
    assertThatExceptionOfType(LinkRefusedException.class)
        .isThrownBy(() -> SignedLink.parse(ARTIFACT, "edge=7&" + query, Set.of("edge", "trace")));
  }

  @Test
  void aLinkForHeadDownloadsNothing() {
    String query = KEYS.signing().sign(new LinkTerms(ARTIFACT, Method.HEAD, EXPIRES, 0, 0, ""));
    assertThat(refusal(ARTIFACT, query, "GET", NOW)).isEqualTo(Reason.OTHER_METHOD);
    assertThatCode(() -> verify(ARTIFACT, query, "HEAD", NOW)).doesNotThrowAnyException();
  }

  @Test
  void endsToTheSecondByOurClock() {
    String query = KEYS.signing().sign(ALL);
    Instant end = Instant.ofEpochSecond(EXPIRES);
    assertThatCode(() -> verify(ARTIFACT, query, "GET", end.minusMillis(1)))
        .doesNotThrowAnyException();
    assertThat(refusal(ARTIFACT, query, "GET", end)).isEqualTo(Reason.EXPIRED);
  }

  @Test
  void mayBeginALittleEarlyBecauseClocksDiffer() {
    String query = KEYS.signing().sign(ALL);
    assertThatCode(() -> verify(ARTIFACT, query, "GET", NOW.minusSeconds(30)))
        .doesNotThrowAnyException();
    assertThat(refusal(ARTIFACT, query, "GET", NOW.minusSeconds(31))).isEqualTo(Reason.NOT_YET);
  }

  @Test
  void isRefusedIfItIsGoodForTooLong() {
    long week = Duration.ofDays(7).toSeconds();
    LinkTerms longest =
        new LinkTerms(ARTIFACT, Method.GET, NOW.getEpochSecond() + week + 30, 0, 0, "");
    LinkTerms tooLong =
        new LinkTerms(ARTIFACT, Method.GET, NOW.getEpochSecond() + week + 31, 0, 0, "");
    assertThatCode(() -> verify(ARTIFACT, KEYS.signing().sign(longest), "GET", NOW))
        .doesNotThrowAnyException();
    assertThat(refusal(ARTIFACT, KEYS.signing().sign(tooLong), "GET", NOW))
        .isEqualTo(Reason.TOO_LONG);
  }

  @Test
  void keysRotateAndAreRevoked() throws LinkRefusedException {
    String before = KEYS.signing().sign(ALL);
    LinkKeys both = LinkKeys.parse(KEYS.rotated(NOW).reveal());
    assertThat(both.signing().id()).isNotEqualTo("0a1b2c3d");
    SignedLink link = SignedLink.parse(ARTIFACT, before, Set.of());
    RULES.verify(link, both, "GET", NOW);
    assertThat(RULES.isStillGood(link, both, NOW)).isTrue();
    LinkKeys without = both.without("0a1b2c3d", NOW);
    assertThat(RULES.isStillGood(link, without, NOW)).isFalse();
    assertThatExceptionOfType(LinkRefusedException.class)
        .isThrownBy(() -> RULES.verify(link, without, "GET", NOW))
        .matches(refusal -> refusal.reason() == Reason.NOT_SIGNED);
    // The last key is replaced, so that the server can always sign.
    assertThat(KEYS.without("0a1b2c3d", NOW).keys())
        .hasSize(1)
        .doesNotContainAnyElementsOf(KEYS.keys());
  }

  @Test
  void noMessageTellsASecret() {
    String secret = "00112233".repeat(8);
    assertThat(KEYS.toString()).contains("0a1b2c3d").doesNotContain(secret);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LinkKeys.parse("0a1b2c3d " + secret))
        .withMessageNotContaining(secret);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "a&as-rate=1", "ä", "a%20b", "a\n"})
  void aDeviceIsAWord(String device) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LinkTerms(ARTIFACT, Method.GET, EXPIRES, 0, 0, device));
  }

  private static LinkTerms read(String query) {
    try {
      return SignedLink.parse(ARTIFACT, query, Set.of()).terms();
    } catch (LinkRefusedException e) {
      throw new AssertionError(e);
    }
  }

  private static void verify(ArtifactId id, String query, String method, Instant now)
      throws LinkRefusedException {
    RULES.verify(SignedLink.parse(id, query, Set.of()), KEYS, method, now);
  }

  private static Reason refusal(ArtifactId id, String query, String method, Instant now) {
    try {
      verify(id, query, method, now);
    } catch (LinkRefusedException e) {
      return e.reason();
    }
    throw new AssertionError("The link was accepted");
  }
}
