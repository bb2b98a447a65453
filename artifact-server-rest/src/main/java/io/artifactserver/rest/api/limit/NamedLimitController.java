package io.artifactserver.rest.api.limit;

import io.artifactserver.core.limit.LimitBook;
import io.artifactserver.core.limit.NamedLimit;
import io.artifactserver.core.limit.Network;
import io.artifactserver.core.limit.RepositoryLimits;
import io.artifactserver.rest.api.audit.AuditDetails;
import io.artifactserver.rest.problem.ProblemException;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** How fast some downloads may be, by who asks and from where. Thread-safe. */
@RestController
@RequestMapping("/api/v1/limits")
@Tag(name = "Limits")
public record NamedLimitController(LimitBook book) {
  /** All limits, by name. */
  @GetMapping
  @Operation(summary = "List the limits of classes of downloads")
  public List<NamedLimitView> list() {
    return book.table().named().stream().map(NamedLimitView::of).toList();
  }

  /** One limit. */
  @GetMapping("/{name}")
  @Operation(summary = "Show the limit of a class of downloads")
  public NamedLimitView get(@PathVariable String name) {
    return list().stream()
        .filter(limit -> limit.name().equals(name))
        .findAny()
        .orElseThrow(() -> notFound(name));
  }

  /** Sets or replaces a limit: 200. */
  @PutMapping("/{name}")
  @Operation(
      summary = "Limit how fast a class of downloads is",
      description =
          "Sets or replaces the limit. It counts at once, for downloads that run too. A download is"
              + " of the class if it fits each list that is given: \"addresses\" are networks such"
              + " as 10.1.0.0/16, \"roles\" are \"anonymous\", \"device\", \"reader\","
              + " \"publisher\" and \"admin\", \"callers\" are names of tokens, subjects of"
              + " certificates or devices of signed links, with * at the end for any characters."
              + " Without a list it is every download.")
  public NamedLimitView put(@PathVariable String name, @Valid @RequestBody NewLimit request) {
    try {
      NamedLimit limit = request.toLimit(name);
      book.put(limit).ifPresent(before -> AuditDetails.before(NamedLimitView.of(before)));
      AuditDetails.after(NamedLimitView.of(limit));
      return NamedLimitView.of(limit);
    } catch (IllegalArgumentException e) {
      throw new ProblemException(HttpStatus.BAD_REQUEST, "Invalid limit", e.getMessage() + ".");
    }
  }

  /** Takes a limit away: 204. */
  @DeleteMapping("/{name}")
  @Operation(
      summary = "Take the limit of a class of downloads away",
      description = "At once, for downloads that run too.")
  public ResponseEntity<Void> delete(@PathVariable String name) {
    Optional<NamedLimit> before = book.delete(name);
    AuditDetails.before(NamedLimitView.of(before.orElseThrow(() -> notFound(name))));
    return ResponseEntity.noContent().build();
  }

  private static ProblemException notFound(String name) {
    return new ProblemException(
        HttpStatus.NOT_FOUND,
        "No such limit",
        "There is no limit \"%s\". GET /api/v1/limits lists them.".formatted(name));
  }

  /**
   * A limit to set.
   *
   * @param bytesPerSecond of all downloads of the class together
   * @param addresses networks of clients; absent for all
   * @param roles of callers; absent for all
   * @param callers patterns of names; absent for all
   */
  public record NewLimit(
      @Min(value = 1, message = RATE)
          @Max(value = RepositoryLimits.MAX_BYTES_PER_SECOND, message = RATE)
          long bytesPerSecond,
      @Nullable List<String> addresses,
      @Nullable List<String> roles,
      @Nullable List<String> callers) {
    private static final String RATE = "is a number from 1 to 1000000000000";

    NamedLimit toLimit(String name) {
      return new NamedLimit(
          name,
          bytesPerSecond,
          orEmpty(addresses).stream().map(Network::parse).toList(),
          orEmpty(roles),
          orEmpty(callers));
    }

    private static List<String> orEmpty(@Nullable List<String> texts) {
      if (texts != null && texts.stream().anyMatch(Objects::isNull)) {
        throw new IllegalArgumentException(
            "The entries of \"addresses\", \"roles\" and \"callers\" must be strings, not null");
      }
      return texts == null ? List.of() : texts;
    }
  }

  /**
   * The limit of a class of downloads.
   *
   * @param bytesPerSecond of all of them together
   * @param addresses networks of clients; empty for all
   * @param roles of callers; empty for all
   * @param callers patterns of names; empty for all
   */
  public record NamedLimitView(
      String name,
      long bytesPerSecond,
      List<String> addresses,
      List<String> roles,
      List<String> callers) {
    static NamedLimitView of(NamedLimit limit) {
      return new NamedLimitView(
          limit.name(),
          limit.bytesPerSecond(),
          limit.addresses().stream().map(Network::toString).toList(),
          limit.roles(),
          limit.callers());
    }
  }
}
