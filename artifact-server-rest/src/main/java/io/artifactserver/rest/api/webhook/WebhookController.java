package io.artifactserver.rest.api.webhook;

import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.webhook.Delivery;
import io.artifactserver.core.webhook.DeliveryStore;
import io.artifactserver.core.webhook.EventKind;
import io.artifactserver.core.webhook.Webhook;
import io.artifactserver.core.webhook.WebhookBook;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.problem.ProblemException;
import io.artifactserver.rest.problem.Problems;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/** The webhooks of a repository. Thread-safe. */
@RestController
@RequestMapping("/api/v1/repositories/{repository}/webhooks")
@Tag(name = "Webhooks")
public record WebhookController(
    ArtifactCatalog catalog,
    WebhookBook book,
    DeliveryStore deliveries,
    WebhookProperties properties,
    JsonMapper mapper) {
  private static final int MAX_URL_LENGTH = 2048;
  private static final int MAX_LIMIT = 1000;

  /** All but those that every webhook gets. */
  private static final Set<EventKind> KINDS = EnumSet.complementOf(EnumSet.of(EventKind.PING));

  /** Makes a webhook: 201. */
  @PostMapping
  @Operation(
      summary = "Make a webhook",
      description =
          "Messages are posted to \"url\", whose host must be named in"
              + " artifact-server.webhooks.hosts. \"events\" are types of messages; all if absent."
              + " \"secret\" signs them, and is shown once.")
  public ResponseEntity<WebhookView> create(
      @PathVariable String repository, @Valid @RequestBody NewWebhook request) {
    requireRepository(repository);
    URI url = url(Objects.requireNonNull(request.url()));
    Set<EventKind> events = request.events() == null ? KINDS : kinds(request.events());
    WebhookBook.Secret made =
        book.create(repository, url, events)
            .orElseThrow(() ->
                new ProblemException(
                    HttpStatus.CONFLICT,
                    "Too many webhooks",
                    "%s has %d webhooks, and may have no more. Delete one that nobody needs."
                        .formatted(repository, WebhookBook.MAX_WEBHOOKS)));
    return shown(HttpStatus.CREATED, made);
  }

  private static ResponseEntity<WebhookView> shown(HttpStatus status, WebhookBook.Secret made) {
    WebhookView view = WebhookView.of(made.webhook());
    AuditDetails.after(view);
    return ResponseEntity.status(status)
        .header(HttpHeaders.LOCATION, view.self())
        .header(HttpHeaders.CACHE_CONTROL, "no-store")
        .body(view.withSecret(made.secret()));
  }

  /** The webhooks of a repository. */
  @GetMapping
  @Operation(summary = "List the webhooks of a repository")
  public WebhookView.Page list(@PathVariable String repository) {
    requireRepository(repository);
    return new WebhookView.Page(book.of(repository).stream().map(WebhookView::of).toList());
  }

  /** One of them. */
  @GetMapping("/{id}")
  @Operation(summary = "Show a webhook")
  public WebhookView get(@PathVariable String repository, @PathVariable long id) {
    return WebhookView.of(required(repository, id));
  }

  /** Changes one: 200. */
  @PatchMapping("/{id}")
  @Operation(
      summary = "Change a webhook",
      description =
          "What is absent stays as it is. One that is not \"enabled\" is told of nothing; messages"
              + " that wait already go on when it is enabled again.")
  public WebhookView change(
      @PathVariable String repository,
      @PathVariable long id,
      @Valid @RequestBody WebhookChange request) {
    Webhook before = required(repository, id);
    Webhook after =
        new Webhook(
            id,
            repository,
            request.url() == null ? before.url() : url(request.url()),
            request.events() == null ? before.events() : kinds(request.events()),
            Objects.requireNonNullElse(request.enabled(), before.isEnabled()),
            before.createdAt());
    AuditDetails.before(WebhookView.of(before));
    if (!book.change(after)) {
      throw notFound(repository, id);
    }
    WebhookView view = WebhookView.of(after);
    AuditDetails.after(view);
    return view;
  }

  /** Deletes one with what it was to be told: 204. */
  @DeleteMapping("/{id}")
  @Operation(summary = "Delete a webhook, and the messages that wait for it")
  public ResponseEntity<Void> delete(@PathVariable String repository, @PathVariable long id) {
    Webhook webhook = required(repository, id);
    AuditDetails.before(WebhookView.of(webhook));
    if (!book.delete(webhook)) {
      throw notFound(repository, id);
    }
    return ResponseEntity.noContent().build();
  }

  /** Gives one another secret: 200. */
  @PostMapping("/{id}/secret")
  @Operation(
      summary = "Give a webhook another secret",
      description =
          "For a day, messages have a second signature, by the former secret. The new one is shown"
              + " once.")
  public ResponseEntity<WebhookView> rotate(
      @PathVariable String repository, @PathVariable long id) {
    return shown(
        HttpStatus.OK,
        book.rotate(required(repository, id)).orElseThrow(() -> notFound(repository, id)));
  }

  /** Sends one a message of the type ping: 202. */
  @PostMapping("/{id}/ping")
  @Operation(
      summary = "Try a webhook out",
      description =
          "The message is of the type \"ping\". The deliveries show whether the receiver took it.")
  public ResponseEntity<DeliveryView> ping(@PathVariable String repository, @PathVariable long id) {
    Webhook webhook = required(repository, id);
    if (!webhook.isEnabled()) {
      throw new ProblemException(
          HttpStatus.CONFLICT,
          "Webhook disabled",
          "It is told of nothing. PATCH it with {\"enabled\": true} first.");
    }
    String data = mapper.writeValueAsString(Map.of("repository", repository));
    return deliveries
        .tell(id, EventKind.PING, data)
        .map(this::accepted)
        .orElseThrow(() -> notFound(repository, id));
  }

  /** Lists the deliveries of a webhook, the newest first, also those that are still due. */
  @GetMapping("/{id}/deliveries")
  @Operation(
      summary = "List the deliveries of a webhook",
      description =
          "The newest first. For the next page, send the last \"id\" as \"before\". The newest"
              + " deliveries are kept, for a while.")
  public DeliveryView.Page deliveries(
      @PathVariable String repository,
      @PathVariable long id,
      @Parameter(description = "Each id is below it")
          @RequestParam(defaultValue = "" + Long.MAX_VALUE)
          long before,
      @Parameter(description = "Of the page's size, 1 to 1000") @RequestParam(defaultValue = "100")
          int limit) {
    Webhook webhook = required(repository, id);
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new ProblemException(
          HttpStatus.BAD_REQUEST,
          "Page out of bounds",
          "\"limit\" is 1 to %d.".formatted(MAX_LIMIT));
    }
    return new DeliveryView.Page(
        deliveries.list(webhook.id(), before, limit).stream()
            .map(delivery -> DeliveryView.of(delivery, mapper))
            .toList());
  }

  /** Sends a message again: 202. */
  @PostMapping("/{id}/deliveries/{delivery}/redeliver")
  @Operation(
      summary = "Send a message again",
      description = "Now, and again as often as a new one until the receiver takes it.")
  public ResponseEntity<DeliveryView> redeliver(
      @PathVariable String repository, @PathVariable long id, @PathVariable long delivery) {
    Webhook webhook = required(repository, id);
    return deliveries
        .repeat(webhook.id(), delivery)
        .map(this::accepted)
        .orElseThrow(() ->
            new ProblemException(
                HttpStatus.NOT_FOUND,
                "No such delivery",
                "The webhook has no delivery %d, or not any more. GET .../deliveries lists them."
                    .formatted(delivery)));
  }

  private ResponseEntity<DeliveryView> accepted(Delivery delivery) {
    DeliveryView view = DeliveryView.of(delivery, mapper);
    AuditDetails.after(view);
    return ResponseEntity.accepted().body(view);
  }

  private Webhook required(String repository, long id) {
    requireRepository(repository);
    return book.of(repository).stream()
        .filter(webhook -> webhook.id() == id)
        .findFirst()
        .orElseThrow(() -> notFound(repository, id));
  }

  private void requireRepository(String repository) {
    if (catalog.repository(Repository.requireName(repository)).isEmpty()) {
      throw new ProblemException(Problems.repositoryNotFound(repository));
    }
  }

  private static ProblemException notFound(String repository, long id) {
    return new ProblemException(
        HttpStatus.NOT_FOUND,
        "No such webhook",
        "%s has no webhook %d. GET .../webhooks lists those that it has."
            .formatted(repository, id));
  }

  private URI url(String text) {
    URI url;
    try {
      url = URI.create(new URI(text).toASCIIString());
    } catch (URISyntaxException e) {
      throw malformed("\"url\" is no address: " + e.getReason() + '.');
    }
    properties
        .fault(url)
        .ifPresent(fault -> {
          throw malformed("\"url\" " + fault + '.');
        });
    if (!properties.lists(url)) {
      throw new ProblemException(
          HttpStatus.FORBIDDEN,
          "Host not allowed",
          "Nothing is posted to %s. An operator may name it in artifact-server.webhooks.hosts."
              .formatted(url.getAuthority()));
    }
    return url;
  }

  private static Set<EventKind> kinds(List<String> names) {
    Set<EventKind> kinds =
        names.stream()
            .flatMap(name -> Stream.ofNullable(name).map(EventKind::parse))
            .map(kind -> kind.filter(KINDS::contains))
            .map(kind -> kind.orElseThrow(WebhookController::unknownKind))
            .collect(Collectors.toSet());
    if (kinds.isEmpty()) {
      throw unknownKind();
    }
    return kinds;
  }

  private static ProblemException unknownKind() {
    return malformed(
        "\"events\" has at least one of %s."
            .formatted(
                KINDS.stream().map(kind -> "\"" + kind + '"').collect(Collectors.joining(", "))));
  }

  private static ProblemException malformed(String detail) {
    return new ProblemException(HttpStatus.BAD_REQUEST, "Malformed webhook", detail);
  }

  /**
   * A webhook to make.
   *
   * @param url where messages are posted
   * @param events types of messages; all if absent
   */
  public record NewWebhook(
      @NotBlank @Size(max = MAX_URL_LENGTH) @Nullable String url,
      @Size(max = 32) @Nullable List<String> events) {}

  /**
   * A change of a webhook. What is absent stays.
   *
   * @param url where messages are posted
   * @param events types of messages
   * @param enabled whether it is told of anything
   */
  public record WebhookChange(
      @Size(min = 1, max = MAX_URL_LENGTH) @Nullable String url,
      @Size(max = 32) @Nullable List<String> events,
      @Nullable Boolean enabled) {}
}
