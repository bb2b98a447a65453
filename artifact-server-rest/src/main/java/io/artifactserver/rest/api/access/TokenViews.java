package io.artifactserver.rest.api.access;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.artifactserver.core.access.AccessToken;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests and views of {@link TokenController}. */
final class TokenViews {
  private TokenViews() {}

  /**
   * A token to create.
   *
   * @param name the operator's own words for it
   * @param description more of them
   * @param labels by which stages tell devices apart
   * @param role {@code device}, {@code reader}, {@code publisher} or {@code admin}; device if
   *     absent
   * @param repositories that the bearer may reach; all if absent or empty
   * @param paths prefixes of whole segments, or of characters with a {@code *} at the end; all if
   *     absent or empty
   * @param expires when it ends; never if absent
   * @param secret a token that a device has already, as hawkBit's gateway or target token; a new
   *     one is made if absent
   * @param certificate whether there is no token, but a client certificate with {@code name} as its
   *     subject
   */
  record NewToken(
      @NotBlank @Size(max = 200) @Nullable String name,
      @Size(max = 1000) @Nullable String description,
      @Nullable Map<String, @Nullable String> labels,
      @Nullable String role,
      @Nullable List<String> repositories,
      @Nullable List<String> paths,
      @Nullable String expires,
      @Nullable String secret,
      @Nullable Boolean certificate) {
    /** Without the secret. */
    @Override
    public String toString() {
      return "NewToken[" + name + ", " + role + "]";
    }
  }

  /**
   * How to rotate.
   *
   * @param overlap how long the old token stays good
   */
  record Overlap(@Nullable String overlap) {}

  /**
   * A token.
   *
   * @param id by which it is revoked
   * @param name the operator's own words for it
   * @param description more of them
   * @param labels by which stages tell devices apart
   * @param role {@code device}, {@code reader}, {@code publisher} or {@code admin}
   * @param repositories that the bearer may reach; empty for all
   * @param paths prefixes of paths that the bearer may reach; empty for all
   * @param created when it was created
   * @param expires when it ends; absent if never
   * @param lastUsed when it was last used, to the minute; absent if never
   * @param token the secret that its bearer sends; only in the answer that creates it
   */
  record TokenView(
      String id,
      String name,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) String description,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, String> labels,
      String role,
      List<String> repositories,
      List<String> paths,
      Instant created,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Instant expires,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Instant lastUsed,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) String token) {
    static TokenView of(AccessToken token, @Nullable Instant lastUsed, String secret) {
      return new TokenView(
          token.id(),
          token.name(),
          token.words().description(),
          token.words().labels().values(),
          token.role().name().toLowerCase(Locale.ROOT),
          token.scope().repositories().stream().sorted().toList(),
          token.scope().paths().stream().sorted().toList(),
          token.createdAt(),
          token.expiresAt().equals(AccessToken.NEVER) ? null : token.expiresAt(),
          lastUsed,
          secret);
    }

    /** Without the secret. */
    @Override
    public String toString() {
      return "TokenView[" + id + ", " + name + ", " + role + "]";
    }
  }

  /**
   * A page.
   *
   * @param tokens by creation
   * @param next path of the next page; absent on the last
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  record TokenList(@JsonInclude(JsonInclude.Include.ALWAYS) List<TokenView> tokens, String next) {}
}
