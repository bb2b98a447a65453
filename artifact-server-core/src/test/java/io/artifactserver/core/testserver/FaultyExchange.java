package io.artifactserver.core.testserver;

import io.artifactserver.core.testserver.FaultProxy.Answer;
import io.artifactserver.core.testserver.FaultProxy.Fault;
import io.artifactserver.core.testserver.FaultProxy.Request;
import io.artifactserver.core.testserver.FaultProxy.Upstream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * One request and its answer, and the fault that was planned for them. Used by one thread.
 *
 * @param head of the request, with its first line
 * @param closed opens when the proxy closes
 */
record FaultyExchange(
    Request request,
    List<String> head,
    Optional<Fault> fault,
    InputStream fromClient,
    OutputStream toClient,
    Socket client,
    Upstream upstream,
    Answer answer,
    CountDownLatch closed) {
  /** Passes the request and its answer on. Returns whether the connection goes on. */
  boolean run() throws IOException, InterruptedException {
    long length = HttpMessages.length(request.fields());
    if (fault.isPresent() && fault.get() instanceof Fault.Refuse(int status, String code)) {
      continueIfAsked();
      HttpMessages.transfer(fromClient, OutputStream.nullOutputStream(), length, _ -> {});
      answer.close();
      refuse(status, code);
      return true;
    }
    upstream.connect();
    OutputStream toServer = upstream.out();
    HttpMessages.write(toServer, head, request.field("Expect").isPresent());
    continueIfAsked();
    if (!passOn(length, toServer)) {
      return false;
    }
    InputStream fromServer = upstream.in();
    List<String> fields = HttpMessages.head(fromServer);
    boolean hasBody = !request.method().equals("HEAD") && !fields.getFirst().contains(" 304 ");
    long body = hasBody && !fields.getFirst().contains(" 204 ") ? HttpMessages.length(fields) : 0;
    if (fault.isPresent()) {
      switch (fault.get()) {
        case Fault.Hold(CountDownLatch latch) -> latch.await();
        case Fault.Delay(long millis) -> {
          if (closed.await(millis, TimeUnit.MILLISECONDS)) {
            return false;
          }
        }
        case Fault.Reset(int afterBytes) -> {
          if (afterBytes > 0) {
            HttpMessages.write(toClient, fields, false);
            HttpMessages.transfer(fromServer, toClient, Math.min(afterBytes, body), answer::add);
            toClient.flush();
          }
          client.setSoLinger(true, 0);
          return false;
        }
        case Fault.Truncate(int afterBytes) -> {
          HttpMessages.write(toClient, fields, false);
          HttpMessages.transfer(fromServer, toClient, Math.min(afterBytes, body), answer::add);
          toClient.flush();
          return false;
        }
        case Fault.Stall(int afterBytes) -> {
          HttpMessages.write(toClient, fields, false);
          HttpMessages.transfer(fromServer, toClient, Math.min(afterBytes, body), answer::add);
          toClient.flush();
          closed.await();
          return false;
        }
        case Fault.Flip(int position) -> {
          byte[] bytes = fromServer.readNBytes(Math.toIntExact(body));
          if (bytes.length > 0) {
            bytes[position < bytes.length ? position : 0] ^= 1;
          }
          answer(fields, bytes);
          return true;
        }
        case Fault.Shift _ -> {
          byte[] bytes = fromServer.readNBytes(Math.toIntExact(body));
          answer(fields, shifted(bytes));
          return true;
        }
        case Fault.Deny(int status, String code) -> {
          skipBody(fields, fromServer, body);
          answer.close();
          refuse(status, code);
          return true;
        }
        case Fault.Whole _ -> {
          byte[] bytes = fromServer.readNBytes(Math.toIntExact(body));
          answer(whole(fields), wholeBody(fields, bytes));
          return true;
        }
        case Fault.Field(String name, String value) -> {
          byte[] bytes = fromServer.readNBytes(Math.toIntExact(body));
          answer(HttpMessages.with(fields, name, value), bytes);
          return true;
        }
        case Fault.FlipUpload _, Fault.ShiftUpload _ -> {
          // Done on the way to the server.
        }
        case Fault.ResetUpload _, Fault.TruncateUpload _, Fault.StallUpload _ ->
            throw new IllegalStateException("Never asked");
        case Fault.Refuse _ -> throw new IllegalStateException("Refused before");
      }
    }
    if (HttpMessages.isChunked(fields)) {
      HttpMessages.write(toClient, fields, false);
      HttpMessages.chunked(fromServer, toClient, this::count);
    } else {
      answer.expect(body);
      HttpMessages.write(toClient, fields, false);
      HttpMessages.transfer(fromServer, toClient, body, answer::add);
    }
    toClient.flush();
    return true;
  }

  /** The head of an answer to a request without a range. The signature covers the range. */
  private static List<String> whole(List<String> fields) {
    return Stream.concat(
            Stream.of("HTTP/1.1 200 OK", "Content-Length: " + completeLength(fields)),
            fields.stream()
                .skip(1)
                .filter(line -> !line.toLowerCase(Locale.ROOT).startsWith("content-length:"))
                .filter(line -> !line.toLowerCase(Locale.ROOT).startsWith("content-range:")))
        .toList();
  }

  /** As long as the whole object; the bytes that are not those of the range are wrong. */
  private static byte[] wholeBody(List<String> fields, byte[] bytes) {
    byte[] all = new byte[completeLength(fields)];
    System.arraycopy(bytes, 0, all, all.length - bytes.length, bytes.length);
    return all;
  }

  /** From Content-Range, or of the body if there is none. */
  private static int completeLength(List<String> fields) {
    return new Request("", "", fields)
        .field("Content-Range")
        .map(range -> Integer.parseInt(range.substring(range.indexOf('/') + 1)))
        .orElseGet(() -> Math.toIntExact(HttpMessages.length(fields)));
  }

  /** Sends the request's body. Returns whether there will be an answer. */
  private boolean passOn(long length, OutputStream toServer)
      throws IOException, InterruptedException {
    switch (fault.orElse(null)) {
      case Fault.ResetUpload(int afterBytes) -> {
        HttpMessages.transfer(fromClient, toServer, Math.min(afterBytes, length), _ -> {});
        toServer.flush();
        client.setSoLinger(true, 0);
        upstream.reset();
        return false;
      }
      case Fault.TruncateUpload(int afterBytes) -> {
        HttpMessages.transfer(fromClient, toServer, Math.min(afterBytes, length), _ -> {});
        toServer.flush();
        return false;
      }
      case Fault.StallUpload(int afterBytes) -> {
        HttpMessages.transfer(fromClient, toServer, Math.min(afterBytes, length), _ -> {});
        toServer.flush();
        closed.await();
        return false;
      }
      case Fault.FlipUpload(int position) -> {
        byte[] body = fromClient.readNBytes(Math.toIntExact(length));
        if (body.length > 0) {
          body[position < body.length ? position : 0] ^= 1;
        }
        toServer.write(body);
      }
      case Fault.ShiftUpload _ ->
          toServer.write(shifted(fromClient.readNBytes(Math.toIntExact(length))));
      case null, default -> HttpMessages.transfer(fromClient, toServer, length, _ -> {});
    }
    toServer.flush();
    return true;
  }

  private static byte[] shifted(byte[] bytes) {
    byte[] shifted = bytes.clone();
    for (int i = 0; i < bytes.length; i++) {
      shifted[(i + 1) % bytes.length] = bytes[i];
    }
    return shifted;
  }

  private static void skipBody(List<String> fields, InputStream fromServer, long body)
      throws IOException {
    OutputStream nowhere = OutputStream.nullOutputStream();
    if (HttpMessages.isChunked(fields)) {
      HttpMessages.chunked(fromServer, nowhere, _ -> {});
    } else {
      HttpMessages.transfer(fromServer, nowhere, body, _ -> {});
    }
  }

  private void answer(List<String> fields, byte[] body) throws IOException {
    answer.expect(body.length);
    HttpMessages.write(toClient, fields, false);
    answer.add(body.length);
    toClient.write(body);
    toClient.flush();
  }

  private void continueIfAsked() throws IOException {
    if (request.field("Expect").isPresent()) {
      toClient.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      toClient.flush();
    }
  }

  private void refuse(int status, String code) throws IOException {
    byte[] body =
        "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>planned</Message></Error>"
            .formatted(code)
            .getBytes(StandardCharsets.US_ASCII);
    toClient.write(
        "HTTP/1.1 %d Planned\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n\r\n"
            .formatted(status, body.length)
            .getBytes(StandardCharsets.US_ASCII));
    if (!request.method().equals("HEAD") && status != 304) {
      toClient.write(body);
    }
    toClient.flush();
  }

  /** The last chunk has no bytes. */
  private void count(long chunk) {
    if (chunk == 0) {
      answer.close();
    }
    answer.add(chunk);
  }
}
