package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** A public and a protected artifact, and a device's token. */
abstract class DeviceFixture extends EachTransport {
  static final String PUBLIC = "/artifacts/public/table.bin";
  static final String SECRET = "/artifacts/secret/table.bin";

  Operator operator;
  String deviceToken;

  @BeforeParameterizedClassInvocation
  void connect() throws Exception {
    operator = server.operator();
    operator.createRepository("other", false);
    deviceToken = token(operator.json("POST", "/api/v1/tokens", "{\"name\":\"all\"}"));
    assertThat(operator.put("public", "7/app.bin", SharedServer.TABLE).statusCode()).isIn(200, 201);
    assertThat(operator.put("public", "7/my+app%201.bin", SharedServer.TABLE).statusCode())
        .isIn(200, 201);
    assertThat(operator.put("secret", "7/app.bin", SharedServer.TABLE).statusCode()).isIn(200, 201);
    assertThat(operator.put("secret", "own.bin", Bytes.random(500, 21)).statusCode())
        .isIn(200, 201);
  }

  @AfterParameterizedClassInvocation
  void disconnect() {
    operator.close();
  }

  static Digest digest(DigestAlgorithm algorithm, byte[] bytes) {
    return Digest.of(algorithm, algorithm.newMessageDigest().digest(bytes));
  }

  static String token(HttpResponse<String> created) throws IOException {
    Matcher token =
        Pattern.compile("\"token\":\"(as_[0-9a-f]+_[0-9a-f]+)\"").matcher(created.body());
    if (!token.find()) {
      throw new IOException("No token in " + created.statusCode() + ' ' + created.body());
    }
    return token.group(1);
  }
}
