package io.artifactserver.rest.hawkbit;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** Posts reports of downloads to an address. Thread-safe. */
final class Webhook implements Reports.Recipient, AutoCloseable {
  private final URI address;
  private final Duration timeout;
  private final JsonMapper mapper;
  private final Outbox outbox;
  private final HttpClient client;

  /**
   * @param timeout of one attempt
   * @param outbox where reports wait
   */
  Webhook(URI address, Duration timeout, JsonMapper mapper, Outbox outbox) {
    this.address = address;
    this.timeout = timeout;
    this.mapper = mapper;
    this.outbox = outbox;
    this.client =
        HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(timeout)
            .build();
  }

  @Override
  public void tell(Report report, Question question) {
    outbox.add(() -> post(report));
  }

  private void post(Report report) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(address)
            .timeout(timeout)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(mapper.writeValueAsBytes(json(report))))
            .build();
    int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    if (status < 200 || status > 299) {
      // The rest of the address may be a secret.
      throw new IOException("The webhook at %s answered %d".formatted(address.getHost(), status));
    }
  }

  private static Map<String, Object> json(Report report) {
    Report.Subject subject = report.subject();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("tenant", subject.tenant());
    json.put("controllerId", subject.controllerId());
    json.put("softwareModuleId", Long.parseLong(subject.softwareModuleId()));
    json.put("fileName", subject.fileName());
    json.put("sha256", subject.sha256().hex());
    json.put("length", subject.length());
    json.put("bytes", report.bytes());
    json.put("state", report.state().name().toLowerCase(Locale.ROOT));
    return json;
  }

  @Override
  public void close() {
    client.shutdownNow();
  }
}
