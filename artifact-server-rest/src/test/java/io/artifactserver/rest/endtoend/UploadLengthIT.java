package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.Wire.Response;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lengths and ends of uploads that are wrong, too large or said twice; requests that break off. */
@ExtendWith(SharedServer.class)
class UploadLengthIT {
  private static final String DRAFT = "Upload-Draft-Interop-Version: 9\r\n";
  private static final String TUS =
      "Tus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream\r\n";

  /** Section 4.1.3 of the draft: a 400, and nothing is left that could go on. */
  @ParameterizedTest
  @ValueSource(strings = {"?0", "?1"})
  void aBodyThatIsLongerThanItsUploadLeavesNone(String isComplete, PackagedServer server)
      throws Exception {
    for (String body :
        new String[] {
          "Content-Length: 5\r\n\r\nabcde",
          "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"
        }) {
      try (Wire wire = new Wire(server.port())) {
        send(
            wire,
            server,
            "PUT",
            "/api/v1/repositories/public/artifacts/too-long",
            DRAFT + "Upload-Complete: %s\r\nUpload-Length: 3\r\n".formatted(isComplete) + body);
        if (isComplete.equals("?0") || body.startsWith("Transfer")) {
          assertThat(wire.receive(false).status()).isEqualTo(104);
        }
        Response refused = wire.receive(true);
        assertThat(refused.status()).as(refused.text()).isEqualTo(400);
        assertThat(refused.text()).contains("inconsistent-upload-length");
      }
      assertNoneIsLeft(server, "too-long");
    }
  }

  @Test
  void aLengthIsSaidOnce(PackagedServer server) throws Exception {
    String twice = "Upload-Length: 3\r\nUpload-Length: 4\r\n";
    Response draft =
        ask(
            server,
            "PUT",
            "/api/v1/repositories/public/artifacts/twice",
            DRAFT + "Upload-Complete: ?0\r\n" + twice + "Content-Length: 3\r\n\r\nabc");
    assertThat(draft.status()).as(draft.text()).isEqualTo(400);
    Response tus =
        ask(
            server,
            "POST",
            TusClient.PATH,
            TUS
                + "Upload-Metadata: %s\r\n"
                    .formatted(TusClient.metadata(Map.of("repository", "public", "path", "twice")))
                + twice
                + "Content-Length: 3\r\n\r\nabc");
    assertThat(tus.status()).as(tus.text()).isEqualTo(400);
    assertNoneIsLeft(server, "twice");
  }

  /** A part of the bytes is never taken for all of them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Upload-Complete: ?0\r\nUpload-Complete: ?0\r\n",
        "Upload-Complete: ?0\r\nUpload-Complete: ?1\r\n",
        "Upload-Complete: 0\r\n",
        "Upload-Complete: \r\n",
      })
  void whetherABodyIsTheLastIsSaidOnce(String fields, PackagedServer server) throws Exception {
    for (String version : new String[] {DRAFT, ""}) {
      Response refused =
          ask(
              server,
              "PUT",
              "/api/v1/repositories/public/artifacts/last",
              version + fields + "Content-Length: 3\r\n\r\nabc");
      assertThat(refused.status()).as(refused.text()).isEqualTo(400);
      assertThat(refused.text()).contains("Send Upload-Complete once");
      assertNoneIsLeft(server, "last");
    }
  }

  @Test
  void aLengthThatIsRefusedDoesNotCount(PackagedServer server) throws Exception {
    try (TusClient client = new TusClient(server, server.operatorToken())) {
      String upload =
          client
              .create(
                  "Upload-Defer-Length",
                  "1",
                  "Upload-Metadata",
                  TusClient.metadata(Map.of("repository", "public", "path", "deferred")))
              .headers()
              .firstValue("Location")
              .orElseThrow();
      assertThat(client.patch(upload, 0, new byte[3], "Upload-Length", "2").statusCode())
          .isEqualTo(400);
      assertThat(client.send("HEAD", upload, new byte[0]).headers().firstValue("Upload-Length"))
          .isEmpty();
      assertThat(client.patch(upload, 0, new byte[5], "Upload-Length", "5").statusCode())
          .isEqualTo(204);
    }
  }

  /** The last byte of the last part makes the artifact, whichever protocol brings it. */
  @Test
  void aPartThatTheDraftEndsMakesItsWhole(PackagedServer server) throws Exception {
    try (TusClient client = new TusClient(server, server.operatorToken());
        Operator operator = new Operator(server)) {
      String metadata = TusClient.metadata(Map.of("repository", "public", "path", "draft-part"));
      String part =
          client
              .create("Upload-Concat", "partial", "Upload-Length", "3", "Upload-Metadata", metadata)
              .headers()
              .firstValue("Location")
              .orElseThrow();
      assertThat(
              client
                  .create("Upload-Concat", "final;" + part, "Upload-Metadata", metadata)
                  .statusCode())
          .isEqualTo(201);
      Response ended =
          ask(
              server,
              "PATCH",
              part,
              DRAFT
                  + "Content-Type: application/partial-upload\r\nUpload-Offset: 0\r\n"
                  + "Upload-Complete: ?1\r\nContent-Length: 3\r\n\r\nabc");
      assertThat(ended.status()).as(ended.text()).isEqualTo(204);
      assertThat(ended.field("Upload-Complete")).contains("?1");
      assertThat(operator.download("/artifacts/public/draft-part").body())
          .isEqualTo(new byte[] {'a', 'b', 'c'});
    }
  }

  @ParameterizedTest
  @CsvSource({"9223372036854775807", "9223372036854775800", "1000000000000000000"})
  void aLengthThatIsTooLargeIsTold(String length, PackagedServer server) throws Exception {
    String upload;
    try (TusClient client = new TusClient(server, server.operatorToken())) {
      upload = client.begin("public", "huge", 1_000);
      assertThat(client.patch(upload, 0, new byte[100]).statusCode()).isEqualTo(204);
    }
    Response draft =
        ask(
            server,
            "PATCH",
            upload,
            DRAFT
                + "Content-Type: application/partial-upload\r\nUpload-Offset: 100\r\n"
                + "Upload-Complete: ?1\r\nUpload-Length: 1000\r\nContent-Length: %s\r\n\r\n"
                    .formatted(length));
    assertThat(draft.status()).as(draft.text()).isEqualTo(400);
    assertThat(draft.text()).contains("inconsistent-upload-length").doesNotContain("-922");
    Response tus =
        ask(
            server,
            "PATCH",
            upload,
            TUS + "Upload-Offset: 100\r\nContent-Length: %s\r\n\r\n".formatted(length));
    assertThat(tus.status()).as(tus.text()).isEqualTo(400);
    assertThat(tus.text()).contains("a length of 1000 bytes").doesNotContain("-922");
    Response put =
        ask(
            server,
            "PUT",
            "/api/v1/repositories/public/artifacts/huge",
            "Content-Length: %s\r\n\r\n".formatted(length));
    assertThat(put.status()).as(put.text()).isEqualTo(413);
    try (Operator operator = new Operator(server)) {
      assertThat(operator.delete(upload).statusCode()).isEqualTo(204);
    }
  }

  /** The client is told what is there, and where to go on. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                                                | What came is kept, 3 bytes in all",
        "Upload-Checksum: sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0= | nothing of it is kept"
      })
  void aRequestThatBreaksOffSaysWhatIsKept(String field, String text, PackagedServer server)
      throws Exception {
    try (TusClient client = new TusClient(server, server.operatorToken())) {
      String upload = client.begin("public", "breaks", 1_000);
      Response broken =
          ask(
              server,
              "PATCH",
              upload,
              TUS
                  + "Upload-Offset: 0\r\n"
                  + (field.isEmpty() ? "" : field + "\r\n")
                  + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nno chunk\r\n");
      assertThat(broken.status()).as(broken.text()).isEqualTo(400);
      assertThat(broken.text()).contains(text).doesNotContain("@");
      assertThat(client.offset(upload)).isEqualTo(field.isEmpty() ? 3 : 0);
      assertThat(client.send("DELETE", upload, new byte[0]).statusCode()).isEqualTo(204);
    }
  }

  private static void assertNoneIsLeft(PackagedServer server, String path) throws Exception {
    try (Operator operator = new Operator(server)) {
      assertThat(operator.get(TusClient.PATH).body()).doesNotContain("\"" + path + "\"");
      assertThat(operator.download("/artifacts/public/" + path).statusCode()).isEqualTo(404);
    }
  }

  private static Response ask(PackagedServer server, String method, String path, String rest)
      throws Exception {
    try (Wire wire = new Wire(server.port())) {
      send(wire, server, method, path, rest);
      return wire.receive(true);
    }
  }

  private static void send(
      Wire wire, PackagedServer server, String method, String path, String rest) throws Exception {
    wire.send(
        "%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s"
            .formatted(method, path, server.operatorToken(), rest));
  }
}
