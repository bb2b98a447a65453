package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Signed links on a running server: what they open, and what they do not. */
@EnumSource
class SignedLinkIT extends EachTransport {
  private static final String PATH = "linked/fw 1+2.bin";
  private static final String ENCODED = "/artifacts/secret/linked/fw%201%2B2.bin";

  private Operator operator;

  @BeforeParameterizedClassInvocation
  void connect() throws Exception {
    operator = server.operator();
    assertThat(operator.put("secret", "linked/fw%201+2.bin", SharedServer.TABLE).statusCode())
        .isIn(200, 201);
    assertThat(operator.put("secret", "linked/fw", SharedServer.TABLE).statusCode()).isIn(200, 201);
  }

  @AfterParameterizedClassInvocation
  void disconnect() {
    operator.close();
  }

  @Test
  void opensAPrivateArtifactWithoutCredentials() throws Exception {
    assertThat(operator.downloadAsNobody(ENCODED).statusCode()).isEqualTo(401);
    String link = link("");
    assertThat(link).startsWith(ENCODED + "?as-method=GET&as-expires=");
    assertThat(operator.downloadAsNobody(link).body()).isEqualTo(SharedServer.TABLE);
    try (Wire wire = open()) {
      // Again and again on one connection: the repeated request is a link, too.
      for (int i = 0; i < 50; i++) {
        Response range = get(wire, "GET", link, "Range: bytes=" + i + "-" + (i + 9) + "\r\n");
        assertThat(range.status()).isEqualTo(206);
        assertThat(range.body()).isEqualTo(Arrays.copyOfRange(SharedServer.TABLE, i, i + 10));
      }
      Response head = get(wire, "HEAD", link, "");
      assertThat(head.status()).isEqualTo(200);
      assertThat(head.field("content-length")).contains("" + SharedServer.TABLE.length);
    }
  }

  @Test
  void noCharacterOfALinkMayBeAnother() throws Exception {
    String link = link(",\"device\":\"d1\",\"rate\":1000");
    // The transport has no part in it: elsewhere than on HTTP/1.1, each fifth will do.
    int step = transport == Transport.HTTP1 || Nightly.IS_NOW ? 1 : 5;
    for (int i = "/artifacts/".length(); i < link.length(); i += step) {
      char bent = (char) (link.charAt(i) ^ 1);
      String other = link.substring(0, i) + bent + link.substring(i + 1);
      // A connection each: what is no request target ends its connection.
      try (Wire wire = open()) {
        assertThat(get(wire, "GET", other, "").status()).as(other).isBetween(400, 404);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/artifacts/secret/linked/fw",
        "/artifacts/secret/linked/fw%201%2B2.bin.sha256",
        "/artifacts/secret/linked/fw%25201%2B2.bin",
        "/artifacts/secret/linked/fw%201%2B2.bi",
        "/artifacts/secret/table.bin",
        "/artifacts/encrypted/linked/fw%201%2B2.bin",
        "/PROTECTED/sha1/0000000000000000000000000000000000000000/fw",
        "/blobs/sha256/0000000000000000000000000000000000000000000000000000000000000000",
      })
  void aLinkOpensNothingElse(String address) throws Exception {
    String query = link("").substring(ENCODED.length());
    HttpResponse<byte[]> answer = operator.downloadAsNobody(address + query);
    assertThat(answer.statusCode()).isEqualTo(403);
    // Nor with a good token beside it: whoever sends a link gets what the link gives.
    assertThat(operator.download(address + query).statusCode()).isEqualTo(403);
  }

  @Test
  void equivalentEncodingsAreTheSameAddress() throws Exception {
    String query = link("").substring(ENCODED.length());
    assertThat(
            operator
                .downloadAsNobody("/artifacts/secret/l%69nked/fw%201+2.bin" + query)
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  void opensNothingOfTheControlPlane() throws Exception {
    String query = link("").substring(ENCODED.length());
    for (String path :
        new String[] {"/api/v1/tokens", "/api/v1/repositories/secret/artifacts/table.bin"}) {
      assertThat(operator.downloadAsNobody(path + query).statusCode()).isEqualTo(401);
    }
  }

  @Test
  void methodsTimesAndAppendedParameters() throws Exception {
    String headOnly = link(",\"method\":\"HEAD\"");
    try (Wire wire = open()) {
      assertThat(get(wire, "HEAD", headOnly, "").status()).isEqualTo(200);
      assertThat(get(wire, "GET", headOnly, "").status()).isEqualTo(403);
      assertThat(get(wire, "GET", link("") + "&x=1", "").status()).isEqualTo(403);
      assertThat(get(wire, "GET", link(",\"notBefore\":\"30m\""), "").status()).isEqualTo(403);
      assertThat(get(wire, "DELETE", link(""), "").status()).isEqualTo(405);
    }
  }

  @Test
  void aRevokedKeysLinksEndAtOnceEvenOnAConnectionThatRepeats() throws Exception {
    String link = link("");
    try (Wire wire = open()) {
      for (int i = 0; i < 5; i++) {
        assertThat(get(wire, "GET", link, "Range: bytes=0-" + i + "\r\n").status()).isEqualTo(206);
      }
      assertThat(operator.json("POST", "/api/v1/links/keys", "").statusCode()).isEqualTo(201);
      assertThat(get(wire, "GET", link, "Range: bytes=0-6\r\n").status()).isEqualTo(206);
      Matcher key = Pattern.compile("as-key=([0-9a-f]{8})").matcher(link);
      assertThat(key.find()).isTrue();
      assertThat(operator.delete("/api/v1/links/keys/" + key.group(1)).statusCode()).isEqualTo(204);
      assertThat(get(wire, "GET", link, "Range: bytes=0-7\r\n").status()).isEqualTo(403);
    }
    assertThat(operator.downloadAsNobody(link("")).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"repository\":\"secret\",\"path\":\"x\"}",
        "{\"repository\":\"secret\",\"path\":\"x\",\"expires\":\"2020-01-01T00:00:00Z\"}",
        "{\"repository\":\"secret\",\"path\":\"x\",\"expires\":\"8d\"}",
        "{\"repository\":\"secret\",\"path\":\"../x\",\"expires\":\"1h\"}",
        "{\"repository\":\"secret\",\"path\":\"x\",\"expires\":\"1h\",\"method\":\"PUT\"}",
        "{\"repository\":\"secret\",\"path\":\"x\",\"expires\":\"1h\",\"rate\":0}",
        "{\"repository\":\"secret\",\"path\":\"x\",\"expires\":\"1h\",\"device\":\"a b\"}",
      })
  void badLinksAreNotMade(String body) throws Exception {
    assertThat(operator.json("POST", "/api/v1/links", body).statusCode()).isEqualTo(400);
  }

  private String link(String more) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        operator.json(
            "POST",
            "/api/v1/links",
            "{\"repository\":\"secret\",\"path\":\"%s\",\"expires\":\"1h\"%s}"
                .formatted(PATH, more));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    Matcher url = Pattern.compile("\"url\":\"([^\"]+)\"").matcher(answer.body());
    assertThat(url.find()).isTrue();
    return url.group(1);
  }

  private static Response get(Wire wire, String method, String target, String fields)
      throws IOException {
    wire.send(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n");
    return wire.receive(method.equals("GET") || method.equals("DELETE"));
  }
}
