package io.artifactserver.rest.endtoend;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Asks the console as a browser does, keeps its cookies, and follows nothing: a test sees each
 * answer. Used by one thread.
 */
final class Browser implements AutoCloseable {
  private static final Pattern CHANGE_TOKEN =
      Pattern.compile("<meta name=\"change-token\" content=\"([^\"]*)\"");

  private final Map<String, String> cookies = new LinkedHashMap<>();
  private final RunningServer server;
  private final HttpClient client;

  Browser(RunningServer server, HttpClient client) {
    this.server = server;
    this.client = client;
  }

  /** Signs in, whatever comes of it. */
  HttpResponse<String> signIn(String token) throws IOException, InterruptedException {
    return post("/login", "token=" + URLEncoder.encode(token, StandardCharsets.UTF_8));
  }

  HttpResponse<String> post(String path, String form) throws IOException, InterruptedException {
    return send("POST", path, form, "Content-Type", "application/x-www-form-urlencoded");
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send("GET", path, "");
  }

  HttpResponse<String> send(String method, String path, String body, String... fields)
      throws IOException, InterruptedException {
    return send(server.uri(path), method, body, fields);
  }

  HttpResponse<String> send(URI address, String method, String body, String... fields)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(fields));
    if (!all.contains("Accept")) {
      all.addAll(List.of("Accept", "text/html,application/xhtml+xml,*/*;q=0.8"));
    }
    if (!cookies.isEmpty()) {
      all.addAll(
          List.of(
              "Cookie",
              cookies.entrySet().stream()
                  .map(cookie -> cookie.getKey() + '=' + cookie.getValue())
                  .collect(Collectors.joining("; "))));
    }
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(address)
                .headers(all.toArray(String[]::new))
                .method(
                    method,
                    body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build(),
            BodyHandlers.ofString());
    for (String cookie : answer.headers().allValues("Set-Cookie")) {
      String pair = cookie.substring(0, cookie.indexOf(';'));
      String name = pair.substring(0, pair.indexOf('='));
      cookies.put(name, pair.substring(name.length() + 1));
      if (cookie.endsWith("Max-Age=0")) {
        cookies.remove(name);
      }
    }
    return answer;
  }

  /** The token that a page of the console sends with changes. */
  String changeToken() throws IOException, InterruptedException {
    Matcher token = CHANGE_TOKEN.matcher(get("/console/repositories").body());
    if (!token.find()) {
      throw new IllegalStateException("No change token: nobody has signed in");
    }
    return token.group(1);
  }

  /** The cookies that would be sent, to look at and to change. */
  Map<String, String> cookies() {
    return cookies;
  }

  @Override
  public void close() {
    client.close();
  }
}
