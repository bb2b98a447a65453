package io.artifactserver.rest.api.webhook;

import io.artifactserver.core.fetch.RemoteRefusedException;
import io.artifactserver.core.webhook.Delivery;
import io.artifactserver.core.webhook.Delivery.Answer;
import io.artifactserver.core.webhook.Webhook;
import io.artifactserver.core.webhook.WebhookSender;
import io.artifactserver.rest.api.outbound.CheckedClient;
import io.artifactserver.rest.api.outbound.Failures;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.InputStreamResponseListener;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import tools.jackson.databind.json.JsonMapper;

/**
 * Posts messages as the Standard Webhooks specification has it (standardwebhooks.com, version 1):
 * signed by HMAC-SHA-256 over id, time and body. Immutable, thread-safe.
 */
record SignedPosts(
    CheckedClient client, WebhookProperties properties, JsonMapper mapper, InstantSource clock)
    implements WebhookSender {
  private static final String ALGORITHM = "HmacSHA256";

  /** Bytes of a refusal that are shown. */
  private static final int SHOWN = 200;

  @Override
  public Answer send(Webhook webhook, Delivery delivery, List<byte[]> secrets) {
    // The settings may be others than when the webhook was made.
    Optional<String> fault = properties.fault(webhook.url());
    return fault.isPresent()
        ? new Answer(0, "the address " + fault.get())
        : post(webhook.url(), delivery, secrets);
  }

  private Answer post(URI url, Delivery delivery, List<byte[]> secrets) {
    String id = "msg_" + delivery.message();
    String timestamp = String.valueOf(clock.instant().getEpochSecond());
    byte[] body = body(delivery);
    Request request =
        client
            .started()
            .POST(url)
            .timeout(properties.timeout().toMillis(), TimeUnit.MILLISECONDS)
            .headers(fields ->
                fields
                    .put("webhook-id", id)
                    .put("webhook-timestamp", timestamp)
                    .put("webhook-signature", signatures(secrets, id, timestamp, body)))
            .body(new BytesRequestContent("application/json", body));
    InputStreamResponseListener listener = new InputStreamResponseListener();
    request.send(listener);
    try {
      // Longer than the client waits itself, but for a look-up of the name.
      Response response = listener.get(2 * properties.timeout().toMillis(), TimeUnit.MILLISECONDS);
      return answer(response.getStatus(), listener);
    } catch (ExecutionException e) {
      return new Answer(0, reason(e.getCause() == null ? e : e.getCause()));
    } catch (TimeoutException e) {
      return new Answer(0, Failures.reason(e));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new CancellationException("the server stops");
    } finally {
      // Does not wait for the rest of the answer.
      var _ = request.abort(new IOException("the rest is not wanted"));
    }
  }

  private static String reason(Throwable failure) {
    return failure instanceof RemoteRefusedException refused
        ? String.valueOf(refused.getMessage())
        : Failures.reason(failure);
  }

  private static Answer answer(int status, InputStreamResponseListener listener) {
    Answer answer = new Answer(status, "");
    return answer.isTaken() ? answer : new Answer(status, excerpt(listener));
  }

  /** The beginning of a refusal, in one line. */
  private static String excerpt(InputStreamResponseListener listener) {
    try (InputStream body = listener.getInputStream()) {
      return new String(body.readNBytes(SHOWN), StandardCharsets.UTF_8)
          .replaceAll("[\\p{Cntrl}\\p{Cf}\uFFFD]+", " ")
          .strip();
    } catch (IOException | RuntimeException _) {
      // A RuntimeException is Jetty's of an answer that is malformed.
      return "";
    }
  }

  private byte[] body(Delivery delivery) {
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("type", delivery.kind().toString());
    message.put("timestamp", delivery.at().toString());
    message.put("number", delivery.number());
    message.put("data", mapper.readTree(delivery.data()));
    return mapper.writeValueAsBytes(message);
  }

  static String signatures(List<byte[]> secrets, String id, String timestamp, byte[] body) {
    byte[] head = "%s.%s.".formatted(id, timestamp).getBytes(StandardCharsets.UTF_8);
    return secrets.stream()
        .map(secret -> "v1," + Base64.getEncoder().encodeToString(hmac(secret, head, body)))
        .collect(Collectors.joining(" "));
  }

  private static byte[] hmac(byte[] secret, byte[] head, byte[] body) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret, ALGORITHM));
      mac.update(head);
      return mac.doFinal(body);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every Java platform has " + ALGORITHM, e);
    }
  }
}
