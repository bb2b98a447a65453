package io.artifactserver.rest.api.outbound;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.eclipse.jetty.client.HttpResponseException;
import org.eclipse.jetty.http.HttpException;

/** Failures of another server in plain words: the client's own name its objects. Pure functions. */
public final class Failures {
  private Failures() {}

  /** Says why, without the name of the server. */
  public static String reason(Throwable failure) {
    return switch (failure) {
      case TimeoutException _, SocketTimeoutException _ -> "nothing came in time";
      case UnknownHostException _ -> "its name has no address";
      case NoRouteToHostException _ -> "there is no route to it";
      case ConnectException _ -> "it takes no connection";
      case SSLException tls -> "TLS failed: " + tls.getMessage();
      case EOFException _, ClosedChannelException _, SocketException _ ->
          "the connection broke off";
      case HttpResponseException _, HttpException.RuntimeException _ -> "its answer is malformed";
      default -> failure.getCause() == null ? "the connection failed" : reason(failure.getCause());
    };
  }
}
