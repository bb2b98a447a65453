package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.endtoend.Wire.Response;
import io.artifactserver.rest.http.EntityTag;
import io.artifactserver.rest.http.HttpDate;
import io.artifactserver.rest.http.RequestLine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of RFC 9110 rules, all on one connection to the packaged server. */
@EnumSource
class Rfc9110WireIT extends EachTransport {
  private static final EntityTag ENTITY_TAG =
      EntityTag.of(
          Digest.of(
              DigestAlgorithm.SHA_256,
              DigestAlgorithm.SHA_256.newMessageDigest().digest(SharedServer.TABLE)));

  /** By path: the artifacts were put one after the other, and perhaps not in the same second. */
  private final Map<String, Instant> lastModified = new HashMap<>();

  private Wire wire;
  private String token;

  @BeforeParameterizedClassInvocation
  void connect() throws IOException {
    lastModified.clear();
    token = server.operatorToken();
    wire = open();
  }

  @AfterParameterizedClassInvocation
  void disconnect() throws IOException {
    wire.close();
  }

  @ParameterizedTest
  @MethodSource("io.artifactserver.rest.http.RequestLine#all")
  void publicArtifactIsAnsweredAsTheTableSays(RequestLine line) throws IOException {
    requireAnswer(line, "/artifacts/public/table.bin", "application/x-table");
  }

  @ParameterizedTest
  @MethodSource("io.artifactserver.rest.http.RequestLine#all")
  void protectedArtifactIsAnsweredAsTheTableSays(RequestLine line) throws IOException {
    requireAnswer(line, "/artifacts/secret/table.bin", "application/x-table");
  }

  @ParameterizedTest
  @MethodSource("io.artifactserver.rest.http.RequestLine#all")
  void encryptedArtifactIsAnsweredAsTheTableSays(RequestLine line) throws IOException {
    requireAnswer(line, "/artifacts/encrypted/table.bin", "application/x-table");
  }

  @ParameterizedTest
  @MethodSource("io.artifactserver.rest.http.RequestLine#all")
  void contentByDigestIsAnsweredAsTheTableSays(RequestLine line) throws IOException {
    requireAnswer(line, "/blobs/sha256/" + ENTITY_TAG.opaqueTag(), "application/octet-stream");
  }

  private Instant lastModified(String path) throws IOException {
    Instant known = lastModified.get(path);
    if (known != null) {
      return known;
    }
    Response head = exchange("HEAD", path, List.of());
    Instant found =
        HttpDate.parse(head.field("Last-Modified").orElseThrow(), Instant.now()).orElseThrow();
    assertThat(found)
        .isBeforeOrEqualTo(
            HttpDate.parse(head.field("Date").orElseThrow(), Instant.now()).orElseThrow());
    lastModified.put(path, found);
    return found;
  }

  private void requireAnswer(RequestLine line, String path, String mediaType) throws IOException {
    Response response =
        exchange(line.method(), path, line.fieldsFor(ENTITY_TAG, lastModified(path)));
    String[] expected = line.expected().split(" ");
    assertThat(response.status()).isEqualTo(Integer.parseInt(expected[0]));
    switch (response.status()) {
      case 200 -> requireWhole(line, response, mediaType);
      case 206 -> requirePartial(expected[1], response, mediaType);
      case 304 -> requireNotModified(response);
      case 412 -> requireProblem(line, response);
      case 416 -> {
        assertThat(response.field("Content-Range")).contains("bytes */" + RequestLine.LENGTH);
        // Clients that resume a whole file append the body to it.
        assertThat(response.field("Content-Length")).contains("0");
        assertThat(response.body()).isEmpty();
      }
      default -> throw new AssertionError(response.status());
    }
    assertThat(response.field("Date")).isPresent();
    assertThat(response.field("Content-Encoding")).isEmpty();
  }

  private static void requireWhole(RequestLine line, Response response, String mediaType) {
    requireRepresentationFields(response);
    assertThat(response.field("Content-Type")).contains(mediaType);
    assertThat(response.field("Content-Length")).contains(String.valueOf(RequestLine.LENGTH));
    assertThat(response.field("Content-Range")).isEmpty();
    assertThat(response.field("Content-Disposition").orElse("")).startsWith("attachment; ");
    assertThat(response.field("Repr-Digest")).isPresent();
    assertThat(response.body())
        .isEqualTo(line.method().equals("HEAD") ? new byte[0] : SharedServer.TABLE);
  }

  private static void requirePartial(String ranges, Response response, String mediaType) {
    requireRepresentationFields(response);
    assertThat(response.field("Content-Disposition")).isEmpty();
    assertThat(response.field("Repr-Digest")).isEmpty();
    List<ByteRange> expected = ranges(ranges);
    if (expected.size() == 1) {
      ByteRange range = expected.getFirst();
      assertThat(response.field("Content-Range"))
          .contains("bytes " + ranges + "/" + RequestLine.LENGTH);
      assertThat(response.field("Content-Type")).contains(mediaType);
      assertThat(response.field("Content-Length")).contains(String.valueOf(range.length()));
      assertThat(response.body()).isEqualTo(slice(range));
    } else {
      assertThat(response.field("Content-Range")).isEmpty();
      requireParts(expected, response, mediaType);
    }
  }

  private static void requireParts(List<ByteRange> expected, Response response, String mediaType) {
    Matcher contentType =
        Pattern.compile("multipart/byteranges; boundary=([0-9a-f]{32})")
            .matcher(response.field("Content-Type").orElseThrow());
    assertThat(contentType.matches()).isTrue();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (ByteRange range : expected) {
      body.writeBytes(
          "\r\n--%s\r\nContent-Type: %s\r\nContent-Range: bytes %d-%d/%d\r\n\r\n"
              .formatted(
                  contentType.group(1),
                  mediaType,
                  range.position(),
                  range.end() - 1,
                  RequestLine.LENGTH)
              .getBytes(StandardCharsets.US_ASCII));
      body.writeBytes(slice(range));
    }
    body.writeBytes(
        ("\r\n--" + contentType.group(1) + "--\r\n").getBytes(StandardCharsets.US_ASCII));
    assertThat(response.body()).isEqualTo(body.toByteArray());
    assertThat(response.field("Content-Length")).contains(String.valueOf(body.size()));
  }

  /** RFC 9110, sections 8.6 and 15.4.5: a Content-Length, if any, is that of the 200. */
  private static void requireNotModified(Response response) {
    assertThat(response.field("ETag")).contains(ENTITY_TAG.toString());
    assertThat(response.field("Cache-Control")).isPresent();
    assertThat(response.field("Content-Length").orElse(String.valueOf(RequestLine.LENGTH)))
        .isEqualTo(String.valueOf(RequestLine.LENGTH));
    assertThat(response.field("Content-Type")).isEmpty();
    assertThat(response.field("Content-Range")).isEmpty();
  }

  private static void requireProblem(RequestLine line, Response response) {
    assertThat(response.field("Content-Type")).contains("application/problem+json");
    assertThat(response.field("Cache-Control")).contains("no-store");
    if (line.method().equals("GET")) {
      assertThat(response.text()).contains("\"status\":" + response.status(), "\"detail\":\"");
    }
  }

  private static void requireRepresentationFields(Response response) {
    assertThat(response.field("Accept-Ranges")).contains("bytes");
    assertThat(response.field("ETag")).contains(ENTITY_TAG.toString());
    assertThat(response.field("Last-Modified")).isPresent();
    assertThat(response.field("Cache-Control")).isPresent();
    // A browser shows no parts; a modem has no room for more fields.
    assertThat(response.field("X-Content-Type-Options").isPresent())
        .isEqualTo(response.status() != 206);
  }

  private static List<ByteRange> ranges(String text) {
    List<ByteRange> ranges = new ArrayList<>();
    for (String range : text.split(",")) {
      long first = Long.parseLong(range.substring(0, range.indexOf('-')));
      long last = Long.parseLong(range.substring(range.indexOf('-') + 1));
      ranges.add(new ByteRange(first, last - first + 1));
    }
    return ranges;
  }

  private static byte[] slice(ByteRange range) {
    return Arrays.copyOfRange(SharedServer.TABLE, (int) range.position(), (int) range.end());
  }

  private Response exchange(String method, String path, List<String> fields) throws IOException {
    StringBuilder request =
        new StringBuilder(method + ' ' + path + " HTTP/1.1\r\nHost: device\r\n");
    request.append("Authorization: Bearer ").append(token).append("\r\n");
    fields.forEach(field -> request.append(field).append("\r\n"));
    wire.send(request + "\r\n");
    return wire.receive(!method.equals("HEAD"));
  }
}
