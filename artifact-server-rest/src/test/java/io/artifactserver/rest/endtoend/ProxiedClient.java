package io.artifactserver.rest.endtoend;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** Java's client of HTTP/2, which sends its requests for a server to the proxy in front of it. */
final class ProxiedClient extends HttpClient {
  private final HttpClient client;
  private final TlsProxy proxy;

  /**
   * @param builder whose TLS and version are set here
   */
  ProxiedClient(HttpClient.Builder builder, TlsProxy proxy) {
    this.client = builder.version(Version.HTTP_2).sslContext(TlsProxy.context()).build();
    this.proxy = proxy;
  }

  @Override
  public <T> HttpResponse<T> send(
      HttpRequest request, HttpResponse.BodyHandler<T> responseBodyHandler)
      throws IOException, InterruptedException {
    return client.send(proxied(request), responseBodyHandler);
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, HttpResponse.BodyHandler<T> responseBodyHandler) {
    return client.sendAsync(proxied(request), responseBodyHandler);
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request,
      HttpResponse.BodyHandler<T> responseBodyHandler,
      HttpResponse.PushPromiseHandler<T> pushPromiseHandler) {
    return client.sendAsync(proxied(request), responseBodyHandler, pushPromiseHandler);
  }

  private HttpRequest proxied(HttpRequest request) {
    URI uri = request.uri();
    String query = uri.getRawQuery();
    return HttpRequest.newBuilder(request, (_, _) -> true)
        .uri(proxy.uri(uri.getRawPath() + (query == null ? "" : "?" + query)))
        .build();
  }

  @Override
  public void close() {
    client.close();
  }

  @Override
  public void shutdownNow() {
    client.shutdownNow();
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return client.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return client.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return client.followRedirects();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return client.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return client.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return client.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return client.authenticator();
  }

  @Override
  public Version version() {
    return client.version();
  }

  @Override
  public Optional<Executor> executor() {
    return client.executor();
  }
}
