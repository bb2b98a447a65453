package io.artifactserver.rest.api.artifact;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.artifactserver.core.encryption.RingKeys;
import io.artifactserver.core.encryption.RingKeys.RingKey;
import io.artifactserver.core.encryption.RingKeys.RingKeyException;
import io.artifactserver.rest.problem.ProblemException;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The key ring, without its keys. Thread-safe. */
@RestController
@RequestMapping("/api/v1/encryption/keys")
@Tag(name = "Encryption")
public record RingKeyController(RingKeys ringKeys) {
  /** The keys, oldest first. */
  @GetMapping
  @Operation(
      summary = "List the keys of the ring",
      description =
          "\"dataKeys\" says how many data keys need the key. No key material is ever shown.")
  public RingKeyList list() {
    return new RingKeyList(ringKeys.list().stream().map(RingKeyView::of).toList());
  }

  /** Adds a key and makes it primary: 201. */
  @PostMapping
  @Operation(
      summary = "Rotate the ring",
      description =
          "Adds a key and makes it primary. Data keys are wrapped again in the background; blobs are"
              + " not touched.")
  public ResponseEntity<RingKeyView> rotate() {
    try {
      return ResponseEntity.status(HttpStatus.CREATED).body(RingKeyView.of(ringKeys.rotate()));
    } catch (RingKeyException e) {
      throw conflict(e);
    }
  }

  /** Removes a key that nothing needs any more: 204. */
  @DeleteMapping("/{id}")
  @Operation(summary = "Remove a retired key from the ring, for ever")
  public ResponseEntity<Void> remove(@PathVariable long id) {
    try {
      ringKeys.remove(id);
      return ResponseEntity.noContent().build();
    } catch (RingKeyException e) {
      throw conflict(e);
    }
  }

  private static ProblemException conflict(RingKeyException e) {
    return new ProblemException(
        HttpStatus.CONFLICT, "Key ring unchanged", String.valueOf(e.getMessage()));
  }

  /**
   * A key of the ring.
   *
   * @param id by which it is removed
   * @param isPrimary whether new data keys are wrapped by it
   * @param created when it was created; absent if the ring does not say
   * @param dataKeys how many data keys need it
   */
  public record RingKeyView(
      long id,
      @JsonProperty("primary") boolean isPrimary,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) String created,
      long dataKeys) {
    static RingKeyView of(RingKey key) {
      return new RingKeyView(key.id(), key.isPrimary(), key.created(), key.dataKeys());
    }
  }

  /**
   * The ring.
   *
   * @param keys oldest first
   */
  public record RingKeyList(List<RingKeyView> keys) {}
}
