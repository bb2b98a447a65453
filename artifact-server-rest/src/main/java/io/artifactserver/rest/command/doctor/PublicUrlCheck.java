package io.artifactserver.rest.command.doctor;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.rest.http.RequestPath;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Checks of the whole way to the server, with its proxies. Changes nothing there. Used by one
 * thread.
 */
record PublicUrlCheck(PublicServer server, Optional<ArtifactId> artifact) {
  private static final String REACHED = "public URL";
  private static final String UPLOADS = "uploads";
  private static final String EVENTS = "events";
  private static final String TOKEN = "token";
  private static final int OK = 200;
  private static final int REDIRECTED = 300;
  private static final int REFUSED = 400;
  private static final int UNAVAILABLE = 503;
  private static final int MOST_BYTES = 64 * 1024;

  /** A question whose failure is a finding like others. */
  @FunctionalInterface
  private interface Question {
    List<Finding> ask() throws IOException, InterruptedException;
  }

  /** Asks nothing more if the server does not answer. */
  List<Finding> findings() throws InterruptedException {
    List<Finding> findings = new ArrayList<>(answered(REACHED, this::reached));
    if (findings.getFirst().verdict() == Verdict.FAIL) {
      return findings;
    }
    if (server.sendsTokenInClear()) {
      findings.add(
          Finding.warn(
              TOKEN,
              "sent over http",
              "everybody on the way can read it, and is an admin then",
              "artifact-server doctor --public-url=https://..."));
    }
    findings.addAll(
        artifact.isPresent()
            ? answered(DeliveryCheck.RANGE, new DeliveryCheck(server, artifact.get())::findings)
            : List.of(notAsked(DeliveryCheck.RANGE, "--artifact=REPOSITORY/PATH")));
    findings.addAll(answered(UPLOADS, this::uploads));
    findings.addAll(
        artifact.isPresent() && server.hasToken()
            ? answered(EVENTS, () -> events(artifact.get()))
            : List.of(notAsked(EVENTS, "--artifact=REPOSITORY/PATH --token-file=FILE")));
    findings.addAll(
        server.hasToken()
            ? answered(ClientAddressCheck.NAME, this::clientAddress)
            : List.of(notAsked(ClientAddressCheck.NAME, "--token-file=FILE")));
    return findings;
  }

  private static List<Finding> answered(String name, Question question)
      throws InterruptedException {
    try {
      return question.ask();
    } catch (InterruptedIOException e) {
      return List.of(
          Finding.fail(
              name,
              String.valueOf(e.getMessage()),
              "the request or its answer is held back on the way",
              "let the proxy buffer nothing: docs/front.md"));
    } catch (IOException | JacksonException e) {
      String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      return List.of(
          Finding.fail(name, message, "the answer could not be read", "look into the proxy's log"));
    }
  }

  private static Finding notAsked(String name, String options) {
    return Finding.warn(
        name,
        "not asked",
        "it takes an artifact or an admin's token to find out",
        "artifact-server doctor --public-url=URL " + options);
  }

  private List<Finding> reached() throws IOException, InterruptedException {
    HttpResponse<byte[]> answer =
        server.ask(server.requestOfStranger("/actuator/health"), MOST_BYTES);
    int status = answer.statusCode();
    String value =
        "%s, status %d"
            .formatted(
                switch (answer.version()) {
                  case HTTP_1_1 -> "HTTP/1.1";
                  case HTTP_2 -> "HTTP/2";
                  default -> answer.version().name();
                },
                status);
    if (status == OK) {
      return List.of(Finding.ok(REACHED, value, "the server answers"));
    }
    String location = answer.headers().firstValue("Location").orElse("");
    return List.of(
        status >= REDIRECTED && status < REFUSED
            ? Finding.fail(
                REACHED,
                value,
                "redirects to " + location,
                "artifact-server doctor --public-url=URL    # of where it redirects to")
            : Finding.fail(
                REACHED,
                value,
                "the server is not well, or the proxy does not reach it",
                "curl -i %s/actuator/health".formatted(server)));
  }

  private List<Finding> uploads() throws IOException {
    String status = server.statusOfUnfinishedUpload().orElse("");
    return List.of(
        switch (status) {
          case "401" ->
              Finding.ok(UPLOADS, "status 401 meanwhile", "they reach the server as they come");
          case "" ->
              Finding.fail(
                  UPLOADS,
                  "no answer within %d s".formatted(server.patience().toSeconds()),
                  "the proxy keeps a whole upload before the server sees a byte: a resumed one has lost all, and the proxy's disk fills up",
                  "nginx: proxy_request_buffering off;    HAProxy: no option http-buffer-request");
          case "413" ->
              Finding.fail(
                  UPLOADS,
                  "status 413",
                  "the proxy limits the length of uploads",
                  "nginx: client_max_body_size 0;");
          default ->
              Finding.fail(
                  UPLOADS,
                  "status " + status,
                  "an upload without a token is a 401 of the server",
                  "look into the proxy's log");
        });
  }

  private List<Finding> events(ArtifactId id) throws IOException, InterruptedException {
    HttpResponse<byte[]> answer =
        server.ask(
            server.request(
                "/api/v1/progress/events?repository=%s&path=%s"
                    .formatted(RequestPath.encode(id.repository()), RequestPath.encode(id.path()))),
            1);
    String value = "status " + answer.statusCode();
    return List.of(
        switch (answer.statusCode()) {
          case OK ->
              Finding.ok(EVENTS, value, "the first comes at once, so nothing holds answers back");
          case UNAVAILABLE ->
              Finding.warn(
                  EVENTS,
                  value,
                  "the server has no place for another listener now",
                  "artifact-server doctor --public-url=URL ...    # again in a minute");
          default ->
              Finding.warn(
                  EVENTS, value, "they need an admin's token", "name it with --token-file=FILE");
        });
  }

  private List<Finding> clientAddress() throws IOException, InterruptedException {
    HttpResponse<byte[]> answer =
        server.ask(
            server
                .request("/api/v1/connection")
                .header("X-Forwarded-For", ClientAddressCheck.CLAIMED),
            MOST_BYTES);
    if (answer.statusCode() != OK) {
      return List.of(
          Finding.warn(
              ClientAddressCheck.NAME,
              "status " + answer.statusCode(),
              "it needs an admin's token",
              "name it with --token-file=FILE"));
    }
    JsonNode arrival = JsonMapper.shared().readTree(answer.body());
    String peer = arrival.path("peer").asString("");
    return List.of(
        new ClientAddressCheck(
                peer,
                arrival.path("address").asString(""),
                arrival
                    .path("forwardedFor")
                    .valueStream()
                    .map(line -> line.asString(""))
                    .filter(line -> !line.isBlank())
                    .toList(),
                isHere(peer))
            .finding());
  }

  private static boolean isHere(String address) throws IOException {
    try {
      return NetworkInterface.getByInetAddress(InetAddress.ofLiteral(address)) != null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
